import { parseJson } from '@tallyhook/platform/json';
import type { Family } from '../event.ts';
import { isSignature, reserialised } from '../signed-form.ts';
import { type HeadersLike, readHeader } from './headers.ts';
import type { Bytes } from './received-body.ts';
import type { ReadSecrets } from './secrets.ts';
import { VerificationError } from './verification-error.ts';
import { importKey, isEqual, matchesSignature } from './web-hmac.ts';

/** A delivery whose sender is known. */
export interface Sender {
  /** What the secret authorizes. */
  readonly families: readonly Family[];
  /** By a secret, not by the header `Authorization`. */
  readonly signed: boolean;
  /** The text that the signature covers. */
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * From headers and bytes to the sender.
 * @param bytes null for a parsed body that cannot be serialised, so that no signature is valid
 * @throws VerificationError
 */
export async function authenticate(headers: HeadersLike, bytes: Bytes | null, secrets: ReadSecrets): Promise<Sender> {
  const signature = readHeader(headers, 'x-webhook-signature');
  if (signature !== undefined && !isSignature(signature)) throw new VerificationError('webhook_signature_malformed');
  if (bytes === null) throw new VerificationError('webhook_signature_mismatch');
  // Invalid bytes are replaced, and a byte-order mark is kept, as by the receiver.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const received = { text, json: parseJson(text), bytes };
  if (signature === undefined) {
    const authorization = readHeader(headers, 'authorization');
    const isAuthorized =
      secrets.authorization !== null &&
      authorization !== undefined &&
      (await isEqual(secrets.authorization, authorization));
    if (!isAuthorized) throw new VerificationError('webhook_signature_missing');
    return { families: ['vote'], signed: false, text, json: received.json };
  }
  const forms = [received, ...serialisedForm(received)];
  for (const [secret, families] of secrets.familiesOf) {
    const key = await importKey(secret);
    for (const form of forms) {
      if (await matchesSignature(key, form.bytes, signature)) return { families, signed: true, ...form };
    }
  }
  throw new VerificationError('webhook_signature_mismatch');
}

/** Empty if it is the same text, or the body cannot be serialised again. */
function serialisedForm({ text, json }: { readonly text: string; readonly json: unknown }) {
  const serialised = reserialised(json);
  if (serialised === null || serialised === text) return [];
  // Parsed again, because not every number survives: 1e400 is serialised as null.
  return [{ text: serialised, json: parseJson(serialised), bytes: new TextEncoder().encode(serialised) }];
}
