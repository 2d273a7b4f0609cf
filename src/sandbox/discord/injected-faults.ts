import type { Clock } from '../../platform/clock.ts';

/** What befalls a request instead of, or before, its answer. */
export type InjectedFault =
  | 'refuse'
  | 'lose_answer'
  | { readonly status: 429; readonly retryAfter: number; readonly global: boolean }
  | { readonly status: 500 };

interface PlannedFault {
  readonly fault: InjectedFault;
  readonly pattern: RegExp | undefined;
}

/** The faults that are switched on at the moment. `only` restricts a fault to requests whose "METHOD /path" it matches. */
export class InjectedFaults {
  /** How long every answer is held back (ms). */
  responseDelayMs = 0;
  readonly #clock: Clock;
  readonly #planned: PlannedFault[] = [];
  #outage = false;
  #outageEnds: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nobody can be reached: for good, for so many ms, or no longer. */
  setOutage(duration: boolean | number): void {
    this.#outage = duration !== false && duration !== 0;
    this.#outageEnds = typeof duration === 'number' ? this.#clock.monotonic() + duration : null;
  }

  get outage(): boolean {
    if (this.#outage && this.#outageEnds !== null && this.#clock.monotonic() >= this.#outageEnds) this.#outage = false;
    return this.#outage;
  }

  enqueue(times: number, fault: InjectedFault, pattern?: RegExp): void {
    for (let index = 0; index < times; index += 1) this.#planned.push({ fault, pattern });
  }

  /** Takes the next fault that is meant for this request, if there is one. */
  take(method: string, path: string): InjectedFault | undefined {
    if (this.outage) return 'refuse';
    const index = this.#planned.findIndex(({ pattern }) => pattern?.test(`${method} ${path}`) ?? true);
    return index === -1 ? undefined : this.#planned.splice(index, 1)[0]?.fault;
  }

  clear(): void {
    this.responseDelayMs = 0;
    this.#outage = false;
    this.#planned.length = 0;
  }
}
