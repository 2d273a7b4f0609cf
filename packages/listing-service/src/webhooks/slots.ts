import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Claim } from '../storage/deliveries/claim-deliveries.ts';
import { type WebhookKey, webhookName } from '../storage/deliveries/deliveries.ts';

/** Concurrent requests, in total. */
const maxInFlight = 640;
/** How many to a webhook: at first, since a receiver that hangs keeps them for long, and at most. */
const firstWindow = 8;
const maxWindow = 256;
/** Webhooks that are remembered. */
const maxWindows = 256;
/** Deliveries are claimed for a second request after each, so that it begins when the first is answered. */
const claimedPerRequest = 2;

/** The requests to a webhook: how many are in flight, and what begins the next ones. */
interface Lane {
  inFlight: number;
  readonly waiting: (() => void)[];
}

/**
 * How many requests may be in flight, in total and to each webhook: one more after each success, half as many after a
 * failure. A webhook has at most as many as are free, so that there is room for others, however much waits, and those
 * that use few, such as dead ones, leave the rest to others.
 */
export class Slots {
  readonly #windows = new BoundedMap<number>(maxWindows);
  readonly #lanes = new Map<string, Lane>();
  #total = 0;

  /** How many more deliveries may be claimed. @param claimed how many are claimed and not settled */
  limits(claimed: number): Pick<Claim, 'limit' | 'maxPerWebhook' | 'capacities'> {
    const capacities: Record<string, number> = {};
    for (const name of [...this.#windows.keys(), ...this.#lanes.keys()]) {
      const lane = this.#lanes.get(name);
      capacities[name] = claimedPerRequest * this.#windowOf(name) - (lane ? lane.inFlight + lane.waiting.length : 0);
    }
    return { limit: claimedPerRequest * maxInFlight - claimed, maxPerWebhook: this.#windowOf(''), capacities };
  }

  /** Resolves when a request may begin, in the order of the calls for a webhook. */
  take(webhook: WebhookKey): Promise<void> {
    const name = webhookName(webhook);
    const lane = this.#lanes.get(name) ?? { inFlight: 0, waiting: [] };
    this.#lanes.set(name, lane);
    return new Promise((resolve) => {
      lane.waiting.push(resolve);
      this.#begin(name, lane);
    });
  }

  /** A request has ended. @param isSuccess null if it was not sent */
  release(webhook: WebhookKey, isSuccess: boolean | null): void {
    const name = webhookName(webhook);
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    const window = this.#windows.get(name) ?? firstWindow;
    if (isSuccess !== null)
      this.#windows.set(name, isSuccess ? Math.min(maxWindow, window + 1) : Math.max(1, Math.floor(window / 2)));
    const wasFull = this.#total === maxInFlight;
    lane.inFlight -= 1;
    this.#total -= 1;
    this.#begin(name, lane);
    if (lane.inFlight === 0 && lane.waiting.length === 0) this.#lanes.delete(name);
    if (wasFull) for (const [other, its] of this.#lanes) this.#begin(other, its);
  }

  #begin(name: string, lane: Lane): void {
    while (this.#total < maxInFlight && lane.inFlight < this.#windowOf(name)) {
      const begin = lane.waiting.shift();
      if (begin === undefined) return;
      lane.inFlight += 1;
      this.#total += 1;
      begin();
    }
  }

  #windowOf(name: string): number {
    return Math.min(this.#windows.get(name) ?? firstWindow, Math.max(1, maxInFlight - this.#total));
  }
}
