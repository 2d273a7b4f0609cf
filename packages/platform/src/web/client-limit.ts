import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { minute, second } from '../durations.ts';

const allClients = 'all';

/**
 * Limits requests per client and minute, from a client's first one on, in the memory of this process. Clients are named by
 * `clientKeyOf`. All clients together are limited, too, since each has a counter for a minute: trusted ones are not
 * affected by that.
 */
export class ClientLimit {
  readonly #perClient: RateLimiterMemory;
  readonly #ofAll = new RateLimiterMemory({ points: 60_000, duration: minute / second });

  constructor(maxPerMinute: number) {
    this.#perClient = new RateLimiterMemory({ points: maxPerMinute, duration: minute / second });
  }

  /** Counts a request. Returns null if it is within the limit, otherwise how long the client has to wait (ms). */
  async waitMs(client: string, { isTrusted = false }: { readonly isTrusted?: boolean } = {}): Promise<number | null> {
    try {
      if (!isTrusted) await this.#ofAll.consume(allClients);
      await this.#perClient.consume(client);
      return null;
    } catch (rejected) {
      if (rejected instanceof RateLimiterRes) return rejected.msBeforeNext;
      throw rejected;
    }
  }

  /** True if the next request would be rejected. */
  async isReached(client: string): Promise<boolean> {
    return (await this.#perClient.get(client))?.remainingPoints === 0;
  }

  /** Takes back a counted request. */
  async forgive(client: string): Promise<void> {
    await this.#perClient.reward(client);
  }
}
