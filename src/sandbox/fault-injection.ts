import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { sign } from '../webhook/signature.ts';
import type { CapturedDelivery, Deliveries } from './deliveries.ts';

/** The bot's response to an injected delivery. */
export interface DeliveryResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Sends deliveries that the service would not send, over HTTP to the bot's receiver. */
export interface FaultInjection {
  /** Sends the last accepted delivery again: same bytes, same signature. Null if there is none yet. */
  resendLast(): Promise<DeliveryResponse | null>;
  /** A server vote of this member with an invalid signature. */
  sendInvalidSignature(userId: string): Promise<DeliveryResponse>;
  /** A correctly signed event of an unknown type. */
  sendUnknownEvent(userId: string): Promise<DeliveryResponse>;
}

export function createFaultInjection(options: {
  /** The bot's base URL, without a trailing slash. */
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
    sendInvalidSignature: (userId) =>
      send(createDelivery('server_vote', userId, () => randomBytes(32).toString('hex'))),
    sendUnknownEvent: (userId) => send(createDelivery('server_boost', userId, (body) => sign(body, voteSecret))),
  };
}

/** Makes a part of the sandbox unreachable for a while. */
export interface OutageSwitch {
  readonly isDown: boolean;
  /** Starts an outage of `ms` (real time). During an outage it extends the outage if the new end is later. */
  begin(ms: number): void;
  end(): void;
}

/** @param setDown starts or ends the outage */
export function createOutageSwitch(
  setDown: (isDown: boolean) => void,
  stopwatch: Clock,
  stopped: AbortSignal,
): OutageSwitch {
  let endsAt: number | null = null;

  function end(): void {
    if (endsAt === null) return;
    endsAt = null;
    setDown(false);
  }

  return {
    get isDown() {
      return endsAt !== null;
    },
    begin(ms) {
      const wasDown = endsAt !== null;
      endsAt = Math.max(endsAt ?? 0, stopwatch.monotonic() + ms);
      if (!wasDown) setDown(true);
      // Timers can fire up to 1 ms early.
      void stopwatch.sleep(ms + 2, stopped).then(() => {
        if (!stopped.aborted && endsAt !== null && stopwatch.monotonic() >= endsAt) end();
      });
    },
    end,
  };
}
