import { Agent, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from './listings.ts';

/** A body and the family whose secret signs it. */
export interface OutgoingDelivery {
  readonly family: 'vote' | 'premium';
  readonly body: string;
}

export interface DeliveryResponse {
  readonly status: number;
  /** Null unless the status is 200. */
  readonly outcome: string | null;
  /** The header Retry-After (seconds); null if it is missing. */
  readonly retryAfter: number | null;
}

/** Sends signed deliveries over keep-alive connections, much faster than `fetch`. */
export function createSender(connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  onTestFinished(() => agent.destroy());

  return {
    /** Null if the connection closes before the end of the response. */
    send(url: string, { family, body }: OutgoingDelivery): Promise<DeliveryResponse | null> {
      const signature = sign(body, family === 'vote' ? voteSecret : premiumSecret);
      return new Promise((resolve) => {
        const outgoing = request(
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
        outgoing.on('error', () => resolve(null));
        outgoing.end(body);
      });
    },
  };
}
