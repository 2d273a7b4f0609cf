import { Agent, request } from 'node:http';
import { sign } from '../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import type { Chance } from './chance.ts';

export const paths = ['/webhooks/vote', '/webhooks/premium', '/webhooks'] as const;
export const signings = ['vote', 'premium', 'none', 'foreign', 'malformed'] as const;

/** One delivery as somebody might send it. */
export interface Attack {
  readonly path: (typeof paths)[number];
  readonly signing: (typeof signings)[number];
  /** In chunks, so that nobody knows its length beforehand. */
  readonly chunked: boolean;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export function anyAttack(body: Buffer, chance: Chance): Attack {
  // Most of them signed: what is not signed gets no further than its signature.
  const signing = chance.once(4) ? chance.pick(signings) : chance.pick(['vote', 'premium']);
  return { path: chance.pick(paths), signing, chunked: chance.once(4), body };
}

function signatureOf({ signing, body }: Attack): string | undefined {
  switch (signing) {
    case 'vote':
      return sign(body, voteSecret);
    case 'premium':
      return sign(body, premiumSecret);
    case 'foreign':
      return sign(body, 'the secret of somebody else');
    case 'malformed':
      return `sha256=${sign(body, voteSecret)}`;
    case 'none':
      return undefined;
  }
}

/** Sends it. Rejects when the connection breaks without an answer. */
export function send(url: string, attack: Attack, agent: Agent): Promise<Answer> {
  const signature = signatureOf(attack);
  const headers = {
    'content-type': 'application/json',
    ...(signature === undefined ? {} : { 'x-webhook-signature': signature }),
    ...(attack.chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': attack.body.length }),
  };
  return new Promise((resolve, reject) => {
    const sending = request(url + attack.path, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (data: string) => (text += data));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      );
    });
    sending.on('error', reject);
    sending.end(attack.body);
  });
}

/** Connections that are kept, a few at a time. */
export function connections(atATime: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: atATime });
}
