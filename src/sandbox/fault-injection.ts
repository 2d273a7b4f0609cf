import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { sign } from '../webhook/signature.ts';
import type { CapturedDelivery, Deliveries } from './deliveries.ts';

/** What the bot answered to a delivery that was sent by hand. */
export interface DeliveryResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Deliveries that no service sends, or not like this. Each goes to the bot's receiver over HTTP, as any other. */
export interface FaultInjection {
  /** The last accepted delivery once more: the same bytes under the same signature; null before there was one. */
  resendLast(): Promise<DeliveryResponse | null>;
  /** A server vote of this member whose signature does not fit. */
  sendInvalidSignature(userId: string): Promise<DeliveryResponse>;
  /** Well signed, and of a kind that nobody has heard of. */
  sendUnknownEvent(userId: string): Promise<DeliveryResponse>;
}

export function createFaultInjection(options: {
  /** Where the bot listens, without a slash at the end. */
  bot: string;
  deliveries: Pick<Deliveries, 'last'>;
  voteSecret: string;
  serverId: string;
  clock: Clock;
}): FaultInjection {
  const { bot, deliveries, voteSecret, serverId, clock } = options;

  async function send({ path, headers, body }: CapturedDelivery): Promise<DeliveryResponse> {
    const response = await fetch(bot + path, { method: 'POST', headers, body: new Uint8Array(body) });
    return { status: response.status, body: await response.json() };
  }

  function createDelivery(event: string, userId: string, signBody: (body: string) => string): CapturedDelivery {
    const timestamp = new Date(clock.now()).toISOString();
    const body = JSON.stringify({ event, timestamp, serverId, userId, creditsAwarded: true });
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signBody(body) };
    return { path: '/webhooks/vote', headers, body: Buffer.from(body) };
  }

  return {
    resendLast: async () => (deliveries.last === null ? null : send(deliveries.last)),
    // As good as any other signature that was made without the secret.
    sendInvalidSignature: (userId) =>
      send(createDelivery('server_vote', userId, () => randomBytes(32).toString('hex'))),
    sendUnknownEvent: (userId) => send(createDelivery('server_boost', userId, (body) => sign(body, voteSecret))),
  };
}
