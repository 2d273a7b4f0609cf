import type { Clock } from '@tallyhook/platform/clock';
import { QueueRotation } from './queue-rotation.ts';
import { backoff, maxDelayMs } from './retry.ts';

/**
 * Queues whose attempts share a limit of how many run at one time, and an outage: those of one lane do not delay those of
 * another. Times are monotonic (ms).
 */
export class Lane {
  readonly rotation: QueueRotation;
  /** Since when no effect can succeed; null outside of an outage. */
  #outageSince: number | null = null;
  #probes = 0;
  #isProbing = false;
  /** No attempt starts before. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;
  readonly #isReachable: () => Promise<boolean>;

  /** @param isReachable whether an attempt could succeed; called instead of attempts during an outage. It must never throw */
  constructor(options: {
    readonly clock: Clock;
    readonly communityOf?: ((queue: string) => string) | undefined;
    readonly attemptsPerQueue?: number | undefined;
    readonly isReachable?: (() => Promise<boolean>) | undefined;
  }) {
    const { clock, communityOf, attemptsPerQueue, isReachable = async () => true } = options;
    this.#clock = clock;
    this.#isReachable = isReachable;
    this.rotation = new QueueRotation(clock, communityOf, attemptsPerQueue);
  }

  /** Whether an attempt could start now. */
  get isReady(): boolean {
    return this.rotation.hasNext && !this.isPaused && !this.#isProbing;
  }

  get isPaused(): boolean {
    return this.#clock.monotonic() < this.#pausedUntil;
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
  }

  /**
   * Begins a period in which no effect can succeed. Only probes are sent meanwhile, not messages, so that a single message
   * has an unknown result instead of one per retry.
   */
  beginOutage(): void {
    this.#outageSince ??= this.#clock.monotonic();
  }

  /** Ends all pauses but those of queues. */
  wake(): void {
    this.#endOutage();
    this.rotation.resumeCommunities();
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  /**
   * Starts as many attempts as possible. Returns the pause before the next step (ms).
   * @param onProbed called after a probe that this has started
   */
  startAttempts(start: (queue: string) => void, onProbed: () => void): number {
    if (this.#isProbing) return Number.POSITIVE_INFINITY;
    if (this.isPaused) return this.#pausedUntil - this.#clock.monotonic();
    if (this.#outageSince !== null) {
      void this.#probe().then(onProbed);
      return Number.POSITIVE_INFINITY;
    }
    for (let queue = this.rotation.next(); queue !== undefined; queue = this.rotation.next()) start(queue);
    return this.rotation.msUntilNext();
  }

  /** Spaces the probes by their number and the age of the outage. */
  async #probe(): Promise<void> {
    this.#isProbing = true;
    const isReachable = await this.#isReachable();
    this.#isProbing = false;
    if (isReachable || this.#outageSince === null) {
      this.#endOutage();
      return;
    }
    this.#probes += 1;
    const age = this.#clock.monotonic() - this.#outageSince;
    const delay = backoff({ attempts: this.#probes, age }, this.#clock.random());
    this.pause(delay === 'bury' ? maxDelayMs : delay);
  }

  #endOutage(): void {
    this.#outageSince = null;
    this.#probes = 0;
  }
}
