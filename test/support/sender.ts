import { Agent, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from './listings.ts';

/** A body and the family whose secret signs it. */
export interface Sent {
  readonly family: 'vote' | 'premium';
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  /** Of a 200. */
  readonly outcome: string | null;
  /** Seconds; null where the answer has no such header. */
  readonly retryAfter: number | null;
}

/** Sends signed deliveries over connections that are kept, much faster than `fetch` does. */
export function createSender(connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  onTestFinished(() => agent.destroy());

  return {
    /** What the receiver says; null when it is cut off before it has said all. */
    send(url: string, { family, body }: Sent): Promise<Answered | null> {
      const signature = sign(body, family === 'vote' ? voteSecret : premiumSecret);
      return new Promise((resolve) => {
        const sending = request(
          `${url}/webhooks/${family}`,
          { method: 'POST', agent, headers: { 'x-webhook-signature': signature } },
          (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk: string) => (text += chunk));
            response.on('error', () => resolve(null));
            response.on('end', () => {
              const { outcome = null } = JSON.parse(text) as { outcome?: string };
              const retryAfter = response.headers['retry-after'];
              resolve({
                status: response.statusCode ?? 0,
                outcome,
                retryAfter: retryAfter === undefined ? null : Number(retryAfter),
              });
            });
          },
        );
        sending.on('error', () => resolve(null));
        sending.end(body);
      });
    },
  };
}
