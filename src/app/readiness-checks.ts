import { coalesce } from '../http/coalesce.ts';
import type { ReadinessChecks } from '../http/readiness.ts';
import { second } from '../platform/durations.ts';
import type { Store } from '../store/store.ts';
import type { Bot } from './bot.ts';

/** By component. */
export function readinessChecks(store: Store, bot: Bot) {
  const probeStore = coalesce(store.probe, second);
  return {
    store: async () => {
      // Not cached: `doctor` relies on this to know that the database file is the one in use.
      store.checkFiles();
      await probeStore();
    },
    discord: async () => {
      if (!bot.isConnected) throw new Error('not connected to the gateway');
    },
  } satisfies ReadinessChecks;
}
