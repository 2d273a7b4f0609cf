import { createHash } from 'node:crypto';
import { isObject, readField } from './fields.ts';

/*
 * A delivery with which `tallyhook doctor` tests the way to the receiver. It is signed like one of the site, so nobody
 * else can send it, and it is neither stored nor paid nor announced: the response says what has arrived.
 */

/** What has arrived of a probe, for a comparison with what was sent. */
export interface ArrivedProbe {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** A body as real ones are, with what programs on the way like to change. @param nonce makes it differ from others */
export function writeProbe(nonce: string): object {
  return { type: 'tallyhook.probe', nonce, name: 'Zoë 愛子 🏮', text: 'a & b <3 "quoted" \\ / 1.0' };
}

export function isProbe(json: unknown): boolean {
  return isObject(json) && readField(json, 'type') === 'tallyhook.probe';
}

export function describeBody(body: Uint8Array | string): ArrivedProbe {
  return { bytes: Buffer.byteLength(body), sha256: createHash('sha256').update(body).digest('hex') };
}
