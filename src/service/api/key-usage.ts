import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { saveKeyUsage } from '../storage/listings/keys.ts';

/** Notes which keys are used, to the minute. */
export interface KeyUsage {
  /** Costs no statement. @param now ms since the epoch */
  note(keyId: number, now: number): void;
  /** Stores what was noted, and ends. */
  stop(): Promise<void>;
}

const intervalMs = 1 * minute;

/** Keeps the last use of each key in memory and stores all of them together, once a minute. */
export function createKeyUsage({ database, clock, log }: { database: Database; clock: Clock; log: Log }): KeyUsage {
  const stopping = new AbortController();
  /** The start of the minute of each key's last use (ms since the epoch), as far as it is not stored. */
  let noted = new Map<number, number>();

  async function store(): Promise<void> {
    if (noted.size === 0) return;
    const unsaved = noted;
    noted = new Map();
    try {
      await saveKeyUsage(database, unsaved);
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'the last use of API keys could not be stored');
      for (const [keyId, at] of unsaved) if (!noted.has(keyId)) noted.set(keyId, at);
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(intervalMs, stopping.signal);
      await store();
    }
  }

  const running = loop();
  return {
    note(keyId, now) {
      noted.set(keyId, now - (now % intervalMs));
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
