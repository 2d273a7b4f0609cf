import type { Clock } from '../../platform/clock.ts';

/** What befalls a request instead of, or before, its answer. */
export type InjectedFault =
  | 'refuse'
  | 'lose_answer'
  | { readonly status: 429; readonly retryAfter: number; readonly global: boolean }
  | { readonly status: 500 };

interface Planned {
  readonly mishap: InjectedFault;
  readonly only: RegExp | undefined;
}

/** The faults that are switched on at the moment. `only` restricts a fault to requests whose "METHOD /path" it matches. */
export class InjectedFaults {
  /** How long every answer is held back (ms). */
  delay = 0;
  readonly #clock: Clock;
  readonly #planned: Planned[] = [];
  #outage = false;
  #outageEnds: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nobody can be reached: for good, for so many ms, or no longer. */
  setOutage(lasts: boolean | number): void {
    this.#outage = lasts !== false && lasts !== 0;
    this.#outageEnds = typeof lasts === 'number' ? this.#clock.monotonic() + lasts : null;
  }

  get outage(): boolean {
    if (this.#outage && this.#outageEnds !== null && this.#clock.monotonic() >= this.#outageEnds) this.#outage = false;
    return this.#outage;
  }

  plan(times: number, mishap: InjectedFault, only?: RegExp): void {
    for (let index = 0; index < times; index += 1) this.#planned.push({ mishap, only });
  }

  /** Takes the next fault that is meant for this request, if there is one. */
  take(method: string, path: string): InjectedFault | undefined {
    if (this.outage) return 'refuse';
    const index = this.#planned.findIndex(({ only }) => only?.test(`${method} ${path}`) ?? true);
    return index === -1 ? undefined : this.#planned.splice(index, 1)[0]?.mishap;
  }

  clear(): void {
    this.delay = 0;
    this.#outage = false;
    this.#planned.length = 0;
  }
}
