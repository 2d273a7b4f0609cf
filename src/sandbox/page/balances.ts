import type { Clock } from '../../platform/clock.ts';

/** How long news may gather before the balances are asked again (ms). */
const batchDelayMs = 120;

export type Balances = Readonly<Record<string, number | null>>;

interface BalanceOptions {
  readonly userIds: readonly string[];
  readonly fetchBalance: (userId: string) => Promise<number | null>;
  readonly clock: Clock;
  readonly onChange: (balances: Balances) => void;
}

/** The balances of all members, asked again whenever something may have changed them. */
export class BalanceCache {
  current: Balances = {};
  readonly #options: BalanceOptions;
  #coming: Promise<void> | undefined;

  constructor(options: BalanceOptions) {
    this.#options = options;
  }

  /** Something happened; the balances may be others now. Those who ask at about the same time get the same answer. */
  refresh(): Promise<void> {
    this.#coming ??= this.#askSoon();
    return this.#coming;
  }

  async #askSoon(): Promise<void> {
    await this.#options.clock.sleep(batchDelayMs);
    this.#coming = undefined;
    const { userIds, fetchBalance, onChange } = this.#options;
    const balances = await Promise.all(userIds.map((id) => fetchBalance(id).catch(() => null)));
    const fetched = Object.fromEntries(userIds.map((id, index) => [id, balances[index] ?? null]));
    if (JSON.stringify(fetched) === JSON.stringify(this.current)) return;
    this.current = fetched;
    onChange(fetched);
  }
}
