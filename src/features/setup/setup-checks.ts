import type { Config } from '../../../config/schema.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/key-check.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { messageOf, TallyhookError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Directory, LookupClients } from '../communities/feature.ts';
import { createListingNames } from '../communities/feature.ts';
import type { KeyCheck } from './community.ts';

const timeoutMs = 8 * second;
/** How many keys a guild can check in {@link checksWindowMs}. */
const maxChecks = 10;
const checksWindowMs = minute;

/** What `/setup` asks the service and the configuration; answering adds what it asks Discord. */
export function createSetupChecks(
  { lookup: { baseUrl } }: Pick<Config, 'lookup'>,
  dependencies: {
    readonly store: { readonly budgetStore: BudgetStore };
    readonly directory: Pick<Directory, 'ofGuild'>;
    readonly lookups: Pick<LookupClients, 'find'>;
    readonly clock: Clock;
    readonly log: Log;
    /** Real time. */
    readonly stopwatch: Clock;
  },
) {
  const { store, directory, lookups, clock, log, stopwatch } = dependencies;
  return {
    checkKey: createKeyCheck({ baseUrl, budget: store.budgetStore, clock, log }),
    listingNames: createListingNames(lookups.find, stopwatch),
    unassignedListings: () => directory.ofGuild(null)?.named.map(({ name }) => name) ?? [],
  };
}

/**
 * Asks the service which listing a key belongs to: one request, counted in the budget of that key. The checks of a guild
 * are counted like requests, in the database, so that the limit holds over all processes and restarts.
 */
export function createKeyCheck(options: {
  readonly baseUrl: string;
  readonly budget: BudgetStore;
  readonly clock: Clock;
  readonly log: Log;
}): (guildId: string, kind: 'server' | 'bot', key: string) => Promise<KeyCheck> {
  const { budget, clock, log } = options;
  return async (guildId, kind, key): Promise<KeyCheck> => {
    try {
      const counted = await budget.acquire(`setup ${guildId}`, clock.now(), checksWindowMs, maxChecks);
      if (!counted.granted) return { status: 'tooMany', retryAt: counted.retryAt };
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'an API key could not be checked, because checks cannot be counted');
      return { status: 'unreachable', retryAt: clock.now() + minute };
    }
    try {
      const { name, id } = await fetchProfileOfKey({ ...options, kind, key, timeoutMs });
      return { status: 'valid', name, targetId: id };
    } catch (error) {
      if (error instanceof TallyhookError && error.code === 'lookup_key_malformed') return { status: 'malformed' };
      if (!(error instanceof LookupError)) throw error;
      if (error.code === 'lookup_key_refused') return { status: 'refused' };
      if (error.code === 'lookup_wrong_key_type') return { status: 'wrongKind' };
      log.warn({ code: error.code, reason: error.message, hint: error.hint }, 'an API key could not be checked');
      return { status: 'unreachable', retryAt: error.retryAt ?? clock.now() + minute };
    }
  };
}
