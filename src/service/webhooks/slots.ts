import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Claim } from '../storage/deliveries/claim-deliveries.ts';
import { type WebhookKey, webhookName } from '../storage/deliveries/deliveries.ts';

/** Deliveries that are sent, or whose result is being stored, in total. */
const maxInFlight = 640;
/** How many to a webhook: at first, since a receiver that hangs keeps them for long, and at most. */
const firstWindow = 8;
const maxWindow = 256;
/** Webhooks that are remembered. If more have requests in flight, each has its share only. */
const maxWindows = 256;

/**
 * How many requests may be in flight, in total and to each webhook: one more after each success, half as many after a
 * failure. The more webhooks have some, the fewer each may have, so that there is room for others, however much waits.
 */
export class Slots {
  readonly #windows = new BoundedMap<number>(maxWindows);
  readonly #inFlight = new Map<string, number>();

  /** How many more deliveries may be claimed. @param claimed how many are claimed and not settled */
  limits(claimed: number): Pick<Claim, 'limit' | 'maxPerWebhook' | 'capacities'> {
    const share = Math.max(1, Math.floor(maxInFlight / (this.#inFlight.size + 1)));
    const capacities: Record<string, number> = {};
    for (const name of [...this.#windows.keys(), ...this.#inFlight.keys()]) {
      const window = this.#windows.get(name) ?? firstWindow;
      capacities[name] = Math.min(window, share) - (this.#inFlight.get(name) ?? 0);
    }
    return { limit: maxInFlight - claimed, maxPerWebhook: Math.min(firstWindow, share), capacities };
  }

  /** Counts a request. */
  take(webhook: WebhookKey): void {
    this.#count(webhookName(webhook), 1);
  }

  /** A request has ended. */
  release(webhook: WebhookKey, isSuccess: boolean): void {
    const name = webhookName(webhook);
    this.#count(name, -1);
    const window = this.#windows.get(name) ?? firstWindow;
    this.#windows.set(name, isSuccess ? Math.min(maxWindow, window + 1) : Math.max(1, Math.floor(window / 2)));
  }

  #count(name: string, change: 1 | -1): void {
    const count = (this.#inFlight.get(name) ?? 0) + change;
    if (count === 0) this.#inFlight.delete(name);
    else this.#inFlight.set(name, count);
  }
}
