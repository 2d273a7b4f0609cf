import type { Clock } from '../../platform/clock.ts';

/** How long events are collected before the balances are fetched again (ms). */
const batchDelayMs = 120;

export type Balances = Readonly<Record<string, number | null>>;

interface BalanceOptions {
  readonly userIds: readonly string[];
  readonly fetchBalance: (userId: string) => Promise<number | null>;
  readonly clock: Clock;
  readonly onChange: (balances: Balances) => void;
}

/** The balances of all members, fetched again after events that may have changed them. */
export class BalanceCache {
  current: Balances = {};
  readonly #options: BalanceOptions;
  #pending: Promise<void> | undefined;

  constructor(options: BalanceOptions) {
    this.#options = options;
  }

  /** Fetches the balances again. Calls within the batch delay share one fetch. */
  refresh(): Promise<void> {
    this.#pending ??= this.#fetchLater();
    return this.#pending;
  }

  async #fetchLater(): Promise<void> {
    await this.#options.clock.sleep(batchDelayMs);
    this.#pending = undefined;
    const { userIds, fetchBalance, onChange } = this.#options;
    const balances = await Promise.all(userIds.map((id) => fetchBalance(id).catch(() => null)));
    const balancesByUser = Object.fromEntries(userIds.map((id, index) => [id, balances[index] ?? null]));
    if (JSON.stringify(balancesByUser) === JSON.stringify(this.current)) return;
    this.current = balancesByUser;
    onChange(balancesByUser);
  }
}
