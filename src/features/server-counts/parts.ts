import { hour, minute, second } from '@tallyhook/platform/durations';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import type { Config } from '../../../config/schema.ts';
import { fetchServerCount, fetchShardCount } from '../../discord/inspection.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import type { BotCounts } from '../../lookup/sites/site-apis.ts';
import { createServerCountClient, type ServerCountClient } from '../../lookup/sites/site-client.ts';
import type { CommunityListing } from '../communities/feature.ts';
import type { FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import type { PostedServerCount } from './posted-count.ts';

/** How often the counts are sent (ms). */
const everyMs = 30 * minute;
/** How long to wait after Discord has not said the counts (ms). */
const retryMs = minute;
const requestTimeoutMs = 9 * second;

interface ServerCountsContext extends Pick<ServicesContext, 'directory' | 'rest' | 'clock' | 'log'> {
  readonly config: Pick<Config, 'discord' | 'siteApiUrl'>;
  readonly store: { readonly budgetStore: BudgetStore };
}

/** The listing of a bot with the client of its site. */
interface Counted {
  readonly listing: string;
  readonly site: string;
  readonly client: ServerCountClient;
  readonly id: string | null;
  readonly linked: boolean;
}

/**
 * Sends the counts of the bot to the sites of its listings. Discord says them over REST, so they are those of all shards and
 * processes, and need no gateway. The database gives each half hour of a listing to one process, also over restarts.
 */
export class ServerCounts {
  readonly #context: ServerCountsContext;
  /** The listings of bots as they are configured now. Those that stay keep their clients, which count requests. */
  #counted: readonly Counted[] = [];
  /** When the counts of a listing are due, by the id of its client (ms since the epoch). Missing if it was not looked at yet. */
  readonly #dueAt = new Map<string, number>();
  /** The listings of the operator that have the id of another bot, each of which was logged. */
  readonly #foreign = new Set<string>();
  /** The clients whose keys were rejected last time, each of which was logged. */
  readonly #rejected = new Set<string>();
  readonly #logHourly;
  readonly loop: Loop;

  constructor(context: ServerCountsContext) {
    const { clock, log, directory } = context;
    this.#context = context;
    this.#logHourly = createThrottledLog({ log, clock, intervalMs: hour });
    const loop = createLoop({
      round: (signal) => this.#sendDue(signal),
      pauseMs: () => this.#pauseMs(),
      onError: (error) =>
        this.#logHourly('warn', '', 'the server count could not be sent; retrying', { reason: messageOf(error) }),
      clock,
    });
    directory.onChange(() => loop.wake());
    this.loop = loop;
  }

  /** Sends the counts now, whenever they were sent last. */
  readonly post = async (): Promise<PostedServerCount> => {
    const { config } = this.#context;
    if (config.discord.token === '')
      throw new TallyhookError(
        'no_token',
        'Only Discord knows the number of servers, and this process has no bot token.',
        {
          hint: 'Call it in a process with the role announce or answer.',
        },
      );
    this.#refresh();
    const { counts, isOwn } = await this.#ask();
    const own = this.#counted.filter(isOwn);
    const errors = await Promise.all(own.map(({ client }) => client.send(counts).then(() => null, asKnownError)));
    const withErrors = own.map(({ listing, site }, index) => ({ listing, site, error: errors[index] ?? null }));
    return {
      ...counts,
      sent: withErrors.flatMap(({ error, ...at }) => (error === null ? [at] : [])),
      failed: withErrors.flatMap(({ error, ...at }) =>
        error === null ? [] : [{ ...at, code: error.code, reason: error.message }],
      ),
    };
  };

  #refresh(): void {
    const { config, store, directory, clock } = this.#context;
    const known = new Map(this.#counted.map((each) => [each.client.id, each.client]));
    const options = { budget: store.budgetStore, clock, timeoutMs: requestTimeoutMs, apiUrl: config.siteApiUrl };
    const next = new Map<string, Counted>();
    for (const listing of directory.listings) {
      const created = createClient(listing, options);
      if (created === null || next.has(created.id)) continue;
      const { name, id, linked = false } = listing;
      const client = known.get(created.id) ?? created;
      next.set(client.id, { client, listing: name, site: listing.site?.id ?? '', id, linked });
    }
    for (const id of known.keys()) {
      if (next.has(id)) continue;
      this.#dueAt.delete(id);
      this.#rejected.delete(id);
    }
    this.#counted = [...next.values()];
  }

  async #ask() {
    const { rest } = this.#context;
    const [{ servers, ids }, shards] = await Promise.all([fetchServerCount(rest), fetchShardCount(rest)]);
    // The operator lists this bot; others may have linked theirs.
    const isOwn = ({ id, linked, listing }: Counted) => {
      if (id === null ? !linked : ids.includes(id)) return true;
      if (!linked) this.#warnOfForeign(listing);
      return !linked;
    };
    return { counts: { servers, shards }, isOwn };
  }

  #warnOfForeign(listing: string): void {
    if (this.#foreign.has(listing)) return;
    this.#foreign.add(listing);
    const hint = 'Set POST_SERVER_COUNT to off, or remove the siteKey, unless it is a listing of this bot.';
    this.#context.log.warn({ listing, hint }, 'the server count of this bot is sent to the listing of another id');
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#context;
    this.#refresh();
    const isDue = ({ client }: Counted) => clock.now() >= (this.#dueAt.get(client.id) ?? 0);
    if (!this.#counted.some(isDue)) return;
    const { counts, isOwn } = await this.#ask();
    for (const counted of this.#counted.filter(isDue)) {
      if (signal.aborted) return;
      const { id } = counted.client;
      const now = clock.now();
      const turn = isOwn(counted)
        ? await store.budgetStore.acquire(`${id} server count`, now, everyMs, 1)
        : { granted: false as const, retryAt: now + everyMs };
      this.#dueAt.set(id, turn.granted ? now + everyMs : turn.retryAt);
      if (turn.granted) await this.#send(counted, counts, signal);
    }
  }

  async #send({ client, listing, site }: Counted, counts: BotCounts, signal: AbortSignal): Promise<void> {
    const { log } = this.#context;
    try {
      await client.send(counts, signal);
      this.#rejected.delete(client.id);
      log.debug({ listing, site, ...counts }, 'the server count was sent');
    } catch (error) {
      const { code, message, hint } = asKnownError(error);
      // The site is to be left alone for longer than half an hour, which was logged when it said so, or is its rule.
      if (code === 'lookup_over_budget') return;
      const fields = { code, listing, site, hint };
      if (code !== 'lookup_key_refused') {
        this.#logHourly('warn', listing, `the server count was not sent; retrying in half an hour: ${message}`, fields);
      } else if (!this.#rejected.has(client.id)) {
        this.#rejected.add(client.id);
        log.warn(fields, `the server count was rejected: ${message}`);
      }
    }
  }

  #pauseMs(): number {
    const now = this.#context.clock.now();
    const dueAt = this.#counted.map(({ client }) => this.#dueAt.get(client.id) ?? now);
    return Math.min(everyMs, Math.max(retryMs, Math.min(...dueAt, now + everyMs) - now));
  }
}

/** Null if the listing is not one of a bot with a key, on a site that takes its counts. */
function createClient(
  { kind, id, site }: CommunityListing,
  options: Parameters<typeof createServerCountClient>[1],
): ServerCountClient | null {
  if (kind !== 'bot' || site === undefined || site.key === null) return null;
  return createServerCountClient({ site: site.id, id, key: site.key, slug: site.slug }, options);
}

/** @throws an error without a code */
function asKnownError(error: unknown): TallyhookError {
  if (error instanceof TallyhookError) return error;
  throw error;
}

export function createServices(context: ServerCountsContext) {
  return { shared: { serverCounts: new ServerCounts(context) } } satisfies FeatureServices;
}

export function create({ config, serverCounts }: PartsContext & { readonly serverCounts: ServerCounts }) {
  return { loops: config.postServerCount ? [serverCounts.loop] : [] } satisfies FeatureParts;
}
