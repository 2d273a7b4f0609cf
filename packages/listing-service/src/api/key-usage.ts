import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { ServiceContext } from '../context.ts';
import { saveKeyUsage } from '../storage/listings/keys.ts';

const intervalMs = 1 * minute;

/** Keeps the last use of each key in memory, to the minute, and stores all of them together, once a minute. */
export class KeyUsage {
  readonly #context: ServiceContext;
  readonly #loop: Loop;
  /** The start of the minute of each key's last use (ms since the epoch), as far as it is not stored. */
  #noted = new Map<number, number>();

  constructor(context: ServiceContext) {
    const { clock } = context;
    this.#context = context;
    this.#loop = createLoop({ round: () => this.#store(), pauseMs: intervalMs, onError: () => {}, clock });
    this.#loop.start();
  }

  /** Costs no statement. @param now ms since the epoch */
  note(keyId: number, now: number): void {
    this.#noted.set(keyId, now - (now % intervalMs));
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#store();
  }

  async #store(): Promise<void> {
    if (this.#noted.size === 0) return;
    const unsaved = this.#noted;
    this.#noted = new Map();
    try {
      await saveKeyUsage(this.#context.database, unsaved);
    } catch (thrown) {
      this.#context.log.warn({ error: messageOf(thrown) }, 'the last use of API keys could not be stored');
      for (const [keyId, at] of unsaved) if (!this.#noted.has(keyId)) this.#noted.set(keyId, at);
    }
  }
}
