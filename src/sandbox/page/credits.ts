import type { Clock } from '../../platform/clock.ts';

/** How long news may gather before the balances are asked again (ms). */
const gathering = 120;

export type Balances = Readonly<Record<string, number | null>>;

interface CreditsOptions {
  readonly userIds: readonly string[];
  readonly ask: (userId: string) => Promise<number | null>;
  readonly clock: Clock;
  readonly tell: (balances: Balances) => void;
}

/** The balances of all members, asked again whenever something may have changed them. */
export class Credits {
  current: Balances = {};
  readonly #options: CreditsOptions;
  #coming: Promise<void> | undefined;

  constructor(options: CreditsOptions) {
    this.#options = options;
  }

  /** Something happened; the balances may be others now. Those who ask at about the same time get the same answer. */
  refresh(): Promise<void> {
    this.#coming ??= this.#askSoon();
    return this.#coming;
  }

  async #askSoon(): Promise<void> {
    await this.#options.clock.sleep(gathering);
    this.#coming = undefined;
    const { userIds, ask, tell } = this.#options;
    const balances = await Promise.all(userIds.map((id) => ask(id).catch(() => null)));
    const asked = Object.fromEntries(userIds.map((id, index) => [id, balances[index] ?? null]));
    if (JSON.stringify(asked) === JSON.stringify(this.current)) return;
    this.current = asked;
    tell(asked);
  }
}
