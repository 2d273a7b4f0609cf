import { randomBytes } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
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
  /** A vote of this member with an invalid signature. Null while the service has no webhook to send votes to. */
  sendInvalidSignature(userId: string): Promise<DeliveryResponse | null>;
  /** A correctly signed event of an unknown type. Null while the service has no webhook to send votes to. */
  sendUnknownEvent(userId: string): Promise<DeliveryResponse | null>;
}

interface VoteWebhook {
  readonly kind: 'server' | 'bot';
  /** The id of the listing. */
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

export function createFaultInjection(options: {
  /** The bot's base URL, without a trailing slash. */
  bot: string;
  deliveries: Pick<Deliveries, 'last'>;
  /** Where the service sends votes for a listing now, and what signs them; null before there is a webhook. */
  findWebhook: () => Promise<VoteWebhook | null>;
  clock: Clock;
}): FaultInjection {
  const { bot, deliveries, findWebhook, clock } = options;

  async function send(url: string, headers: CapturedDelivery['headers'], body: Buffer): Promise<DeliveryResponse> {
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
    return { status: response.status, body: await response.json() };
  }

  async function sendEvent(
    userId: string,
    action: 'vote' | 'boost',
    signBody: (body: string, secret: string) => string,
  ): Promise<DeliveryResponse | null> {
    const webhook = await findWebhook();
    if (webhook === null) return null;
    const { kind, id, url, secret } = webhook;
    const timestamp = new Date(clock.now()).toISOString();
    const event = { event: `${kind}_${action}`, timestamp, [`${kind}Id`]: id, userId, creditsAwarded: true };
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signBody(body, secret) };
    return send(url, headers, Buffer.from(body));
  }

  return {
    async resendLast() {
      const { last } = deliveries;
      return last === null ? null : send(bot + last.path, last.headers, last.body);
    },
    sendInvalidSignature: (userId) => sendEvent(userId, 'vote', () => randomBytes(32).toString('hex')),
    sendUnknownEvent: (userId) => sendEvent(userId, 'boost', sign),
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
