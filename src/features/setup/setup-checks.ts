import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Config } from '../../../config/schema.ts';
import { createCardSource, readCard } from '../../core/announcements/listing-card.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/key-check.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { Directory, LookupClients } from '../communities/feature.ts';
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
    readonly lookups: Pick<LookupClients, 'find' | 'displayName' | 'displayNames'>;
    readonly clock: Clock;
    readonly log: Log;
    /** Real time. */
    readonly stopwatch: Clock;
  },
) {
  const { store, directory, lookups, clock, log, stopwatch } = dependencies;
  const cardOf = createCardSource(lookups, () => null, stopwatch);
  return {
    checkKey: createKeyCheck({ baseUrl, budget: store.budgetStore, clock, log }),
    hasService: baseUrl !== '',
    dashboardOf: createDashboards(baseUrl, stopwatch),
    listingNames: lookups.displayNames,
    votePage: async (listing: string) => (await readCard(cardOf, listing, stopwatch))?.url ?? null,
    unassignedListings: () => directory.ofGuild(null)?.named.map(({ name }) => name) ?? [],
  };
}

/**
 * Asks the service which listing a key belongs to: a request, counted in the budget of that key, and a second one if it
 * is not known of which kind the listing is. The checks of a guild are counted like requests, in the database, so that the
 * limit holds over all processes and restarts.
 */
export function createKeyCheck(options: {
  readonly baseUrl: string;
  readonly budget: BudgetStore;
  readonly clock: Clock;
  readonly log: Log;
}): (guildId: string, kind: 'server' | 'bot' | null, key: string) => Promise<KeyCheck> {
  const { budget, clock, log } = options;
  return async (guildId, kind, key) => {
    if (kind !== null) return check(guildId, kind, key);
    const asServer = await check(guildId, 'server', key);
    return asServer.status === 'wrongKind' ? check(guildId, 'bot', key) : asServer;
  };

  async function check(guildId: string, kind: 'server' | 'bot', key: string): Promise<KeyCheck> {
    try {
      const counted = await budget.acquire(`setup ${guildId}`, clock.now(), checksWindowMs, maxChecks);
      if (!counted.granted) return { status: 'tooMany', retryAt: counted.retryAt };
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'an API key could not be checked, because checks cannot be counted');
      return { status: 'unreachable', retryAt: clock.now() + minute };
    }
    try {
      const { name, id } = await fetchProfileOfKey({ ...options, kind, key, timeoutMs });
      return { status: 'valid', kind, name, targetId: id };
    } catch (error) {
      if (error instanceof TallyhookError && error.code === 'lookup_key_malformed') return { status: 'malformed' };
      if (!(error instanceof LookupError)) throw error;
      if (error.code === 'lookup_key_refused') return { status: 'refused' };
      if (error.code === 'lookup_wrong_key_type') return { status: 'wrongKind' };
      log.warn({ code: error.code, reason: error.message, hint: error.hint }, 'an API key could not be checked');
      return { status: 'unreachable', retryAt: error.retryAt ?? clock.now() + minute };
    }
  }
}

/** How long a message waits for the service's website (ms). */
const dashboardTimeoutMs = second / 2;

/**
 * Where owners find the keys of a listing: its page in the dashboard, where the service has one at our own service's
 * address, otherwise the home page. The website is asked once, and a result that comes too late is for the next time. Null
 * without a service, or if it has an address of a local network.
 */
export function createDashboards(baseUrl: string, stopwatch: Clock): (guildId: string) => Promise<string | null> {
  const service = URL.parse(baseUrl);
  // Discord rejects a message with a link to a name of a local network, such as that of a container.
  const origin = service?.hostname.includes('.') ? service.origin : null;
  let known: Promise<boolean> | null = null;
  const ask = async (url: string) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => null);
    // The next message asks again.
    if (response === null) known = null;
    return response !== null && response.status < 400;
  };
  return async (guildId) => {
    if (origin === null) return null;
    const url = `${origin}/dashboard/${guildId}`;
    known ??= ask(url);
    return (await settleWithin(dashboardTimeoutMs, stopwatch, known)) === true ? `${url}#advanced` : `${origin}/`;
  };
}
