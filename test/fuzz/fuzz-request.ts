import { Agent, request } from 'node:http';
import { sign } from '../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import type { Random } from './random.ts';

export const paths = ['/webhooks/vote', '/webhooks/premium', '/webhooks'] as const;
export const signings = ['vote', 'premium', 'none', 'foreign', 'malformed'] as const;

/** One delivery to the program. */
export interface FuzzRequest {
  readonly path: (typeof paths)[number];
  readonly signing: (typeof signings)[number];
  /** Sent with chunked transfer encoding, without a content length. */
  readonly chunked: boolean;
  readonly body: Buffer;
}

export interface FuzzResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export function randomRequest(body: Buffer, random: Random): FuzzRequest {
  // Most are signed, because unsigned ones test nothing beyond the signature.
  const signing = random.oneIn(4) ? random.pick(signings) : random.pick(['vote', 'premium']);
  return { path: random.pick(paths), signing, chunked: random.oneIn(4), body };
}

function signatureOf({ signing, body }: FuzzRequest): string | undefined {
  switch (signing) {
    case 'vote':
      return sign(body, voteSecret);
    case 'premium':
      return sign(body, premiumSecret);
    case 'foreign':
      return sign(body, 'another secret');
    case 'malformed':
      return `sha256=${sign(body, voteSecret)}`;
    case 'none':
      return undefined;
  }
}

/** Rejects if the connection closes without a response. */
export function send(url: string, fuzzRequest: FuzzRequest, agent: Agent): Promise<FuzzResponse> {
  const signature = signatureOf(fuzzRequest);
  const headers = {
    'content-type': 'application/json',
    ...(signature === undefined ? {} : { 'x-webhook-signature': signature }),
    ...(fuzzRequest.chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': fuzzRequest.body.length }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url + fuzzRequest.path, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (data: string) => (text += data));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(fuzzRequest.body);
  });
}

/** Keep-alive connections. */
export function createAgent(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: maxSockets });
}
