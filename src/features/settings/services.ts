import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin, withTimeout } from '@tallyhook/platform/with-timeout';
import type { ListingConfig } from '../../../config/schema.ts';
import { createCardSource, readCard } from '../../core/announcements/announcement.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { createGuildProfiles } from '../../discord/guild-profile.ts';
import { createGuildChannels } from '../../discord/inspection.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/client.ts';
import { fetchText } from '../../lookup/http.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { EndpointAccess } from '../events/feature.ts';
import type { ServicesContext } from '../parts.ts';
import { pagesPath } from '../public-pages/feature.ts';
import type { RoleAccess } from '../roles/feature.ts';
import type { SettingPath } from '../settings.ts';
import type { UnreadyItem } from '../shop/feature.ts';
import { type RuleChange, type SimulatedCredits, simulatedMs } from '../simulation/feature.ts';
import type { Tokens } from '../tokens/feature.ts';
import type { CommunitySettings, KeyCheck, LinkResult, SettingsAuthor } from './community.ts';
import type { Settings } from './settings.ts';
import type { SettingChange } from './stored.ts';

export interface SetupContext extends ServicesContext {
  readonly store: {
    readonly budgetStore: BudgetStore;
    readonly settings: Pick<SettingsStore, 'state'>;
    readonly simulation: { simulateCredits(change: RuleChange): Promise<SimulatedCredits | null> };
  };
  readonly encryption: Encryption;
  readonly setup: Settings;
  readonly topggConnect: Connections;
  /** Rights of the bot over the roles of a guild; null if Discord does not say in time. */
  readonly roleAccess: (guildId: string) => Promise<RoleAccess | null>;
  /** Posts the vote panel of a guild in a channel, in place of the one before. Rejects with the errors of the store. */
  readonly postVotePanel: (guildId: string, channelId: string) => Promise<void>;
  /** True if the guild has a vote panel, or will have one in a moment. */
  readonly hasVotePanel: (guildId: string) => Promise<boolean>;
  /** Items that nobody can buy in the shop of a guild until the team has changed something. */
  readonly unreadyItems: (guildId: string) => Promise<readonly UnreadyItem[]>;
  readonly endpoints: EndpointAccess;
  readonly tokens: Tokens;
}

/** Listings of top.gg that are held until the member who has connected them confirms it. */
interface Connections {
  heldFor(
    guildId: string,
    userId: string,
  ): Promise<readonly { readonly listing: string; readonly kind: 'server' | 'bot'; readonly targetId: string }[]>;
  /** Links what is held for the author under the name of a listing; null if nothing is. */
  confirm(listing: string, author: SettingsAuthor): Promise<LinkResult | null>;
}

/** A link that connects the guild's listing on the service, for this member and ten minutes; null without one. */
type ConnectOffer = (
  community: CommunitySettings,
  userId: string,
) => Promise<{ readonly url: string; readonly listing: string } | null>;

export type SetupServices = ReturnType<typeof createSetupServices>;

export function createSetupServices(context: SetupContext, connectOffer: ConnectOffer) {
  const { topggConnect, postVotePanel, hasVotePanel, unreadyItems, endpoints, tokens, directory } = context;
  return {
    ...{
      settings: context.setup,
      connections: topggConnect,
      postVotePanel,
      hasVotePanel,
      unreadyItems,
      endpoints,
      tokens,
    },
    /** The community of a guild; null for one without listings. */
    communityIdOf: (guildId: string): CommunityId | null => directory.ofGuild(guildId)?.id ?? null,
    /** The address of the settings of a guild in the console; null if nobody can sign in there with Discord. */
    webPage: (guildId: string): string | null => {
      const { clientSecret, publicUrl } = context.config;
      return clientSecret === null || publicUrl === null ? null : `${publicUrl}/owner/servers/${guildId}/settings`;
    },
    /** The address of a public page; null without `PUBLIC_URL`. */
    publicPage: (slug: string): string | null => {
      const { publicUrl } = context.config;
      return publicUrl === null ? null : `${publicUrl}${pagesPath}/${slug}`;
    },
    simulateChange: createChangeSimulation(context),
    checks: createSetupChecks(context, connectOffer),
    drafts: createSetupDrafts(context.clock),
    /** How the bot looks in a guild. */
    profiles: createGuildProfiles({
      ...{ rest: context.rest, apiUrl: context.config.discord.apiUrl, clock: context.stopwatch, log: context.log },
    }),
  };
}

type Fields = Readonly<Record<string, string | readonly string[] | boolean>>;

/** How long an edit can be continued (ms): as long as Discord's components of the message usually are. */
const lifetimeMs = 15 * minute;
const maxDrafts = 500;

/** Entries of members in forms that could not be saved. In the memory of this process. */
export function createSetupDrafts(clock: Pick<Clock, 'monotonic'>) {
  const drafts = new BoundedMap<{ readonly fields: Fields; readonly until: number }>(maxDrafts);
  return {
    put: (key: string, fields: Fields) => void drafts.set(key, { fields, until: clock.monotonic() + lifetimeMs }),
    /** Null if there is none, or it is too old. */
    find(key: string): Fields | null {
      const draft = drafts.get(key);
      if (draft === undefined || draft.until < clock.monotonic()) return null;
      return draft.fields;
    },
  };
}

const serviceTimeoutMs = 8 * second;
/** How many keys a guild can check in {@link checksWindowMs}. */
const maxChecks = 10;
const checksWindowMs = minute;

export type SetupChecks = ReturnType<typeof createSetupChecks>;

/** Questions of `/setup` to the listing service and Discord before it saves. */
function createSetupChecks(context: SetupContext, connectOffer: ConnectOffer) {
  const { config, store, directory, lookups, rest, roleAccess, clock, log, stopwatch } = context;
  const { baseUrl } = config.lookup;
  const cardOf = createCardSource(lookups, () => null, stopwatch);
  return {
    ...{ connectOffer, roleAccess },
    /** The ids of the channels of a guild, without threads; null if Discord does not say in time. */
    channelsOf: createGuildChannels({ rest, clock: stopwatch, log }),
    /** The text of a file that a member uploaded; null if it is too long, no text, or cannot be read in time. */
    readUpload: createUploads({ apiUrl: config.discord.apiUrl, stopwatch, log }),
    checkKey: createKeyCheck({ baseUrl, budget: store.budgetStore, clock, log }),
    /** True if the operator has named the document's service; otherwise listings are on other sites alone. */
    hasService: baseUrl !== '',
    dashboardOf: createDashboards(baseUrl, stopwatch),
    listingNames: lookups.displayNames,
    /** Where members vote for a listing; null if it is not known, or not in time. */
    votePage: async (listing: string) => (await readCard(cardOf, listing, stopwatch))?.url ?? null,
    /** The operator's listings without a known guild: nobody can be distinguished from their owner. */
    unassignedListings: (): readonly string[] => directory.ofGuild(null)?.named.map(({ name }) => name) ?? [],
  };
}

/**
 * Asks the service which listing a key belongs to: a request, counted in the budget of that key, and a second one if it
 * is not known of which kind the listing is. The checks of a guild are counted like requests, in the database, so that
 * the limit holds over all processes and restarts.
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
      const { name, id } = await fetchProfileOfKey({ ...options, kind, key, timeoutMs: serviceTimeoutMs });
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

const dashboardTimeoutMs = second / 2;

/**
 * Where owners find the keys of a listing: its page in the dashboard, where the service has one at our own service's
 * address, otherwise the home page. The website is asked once, and a result that comes too late is for the next time.
 * Null without a service, or if it has an address of a local network.
 */
export function createDashboards(baseUrl: string, stopwatch: Clock): (guildId: string) => Promise<string | null> {
  const service = URL.parse(baseUrl);
  // Discord rejects a message with a link to a name of a local network, such as that of a container.
  const origin = service?.hostname.includes('.') ? service.origin : null;
  let known: Promise<boolean> | null = null;
  const ask = async (url: string) => {
    const signal = AbortSignal.timeout(serviceTimeoutMs);
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

const uploadTimeoutMs = 5 * second;
/** The length of the longest file (bytes). */
const maxBytes = 256 * 1024;

/** Where Discord serves what members upload. */
const hosts = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

/**
 * Reads the texts that members upload in forms from Discord, and from nowhere else. Neither a text, which can contain
 * keys, nor an address, with which anybody can read it, is logged.
 * @param options.apiUrl a local Discord serves the files itself
 */
export function createUploads({ apiUrl, stopwatch, log }: { apiUrl: string; stopwatch: Clock; log: Log }) {
  const origins = URL.canParse(apiUrl) ? [...hosts, new URL(apiUrl).origin] : hosts;
  return async ({ size, url }: { readonly size: number; readonly url: string }): Promise<string | null> => {
    if (size > maxBytes || !URL.canParse(url) || !origins.includes(new URL(url).origin)) return null;
    const request = { url, headers: {}, name: 'the upload of a file', clock: stopwatch };
    try {
      const { ok, body } = await fetchText({ ...request, deadline: stopwatch.monotonic() + uploadTimeoutMs });
      // What is not UTF-8 is decoded with this sign.
      return ok && body.length <= maxBytes && !body.includes('\uFFFD') ? body : null;
    } catch (error) {
      if (!(error instanceof LookupError)) throw error;
      log.warn({ code: error.code, reason: error.message }, 'an uploaded file could not be read');
      return null;
    }
  };
}

/** Settings of rewards that pay nothing which is simulated: roles, gifts, and what other sites say. */
const unpaidPaths: readonly string[] = [
  'rewards.milestoneRoles',
  'rewards.voterRole',
  'rewards.premiumRoles',
  'rewards.weight',
  'rewards.giftLimit',
] satisfies readonly SettingPath[];

function isSimulated({ path }: SettingChange): boolean {
  return path === 'timeZone' || (path.startsWith('rewards.') && !unpaidPaths.includes(path));
}

/** More entries of members would take seconds. */
const maxEntries = 20_000;
/** A manager waits no longer for it (ms), with the change in effect. */
const maxWaitMs = 2 * second;

/** Settings before a change that is saved, or after one that is not. Valid values. */
export type ComparedSettings =
  | { readonly before: readonly SettingChange[] }
  | { readonly after: readonly SettingChange[] };

/** Credits that both versions of the rules would have paid in 30 days; null if none, or too slow. Never rejects. */
export function createChangeSimulation(
  context: Pick<SetupContext, 'setup' | 'clock' | 'stopwatch' | 'log'> & {
    readonly directory: Pick<SetupContext['directory'], 'ofGuild'>;
    readonly store: Pick<SetupContext['store'], 'simulation'>;
  },
) {
  const { setup, directory, store, clock, stopwatch, log } = context;
  /** One at a time, so that managers who save again and again do not slow down others. */
  let isRunning = false;

  async function run(guildId: string, compared: ComparedSettings, signal: AbortSignal) {
    const community = directory.ofGuild(guildId);
    const isSaved = 'before' in compared;
    const changes = (isSaved ? compared.before : compared.after).filter(isSimulated);
    if (community === undefined || changes.length === 0) return null;
    const { current, changed } = await setup.listingsWith(guildId, changes);
    const [before, after] = isSaved ? [changed, current] : [current, changed];
    const { id: communityId, listings } = community;
    const withRules = (configured: readonly ListingConfig[]) =>
      listings.map((listing) => {
        const { rewards, timeZone } = configured.find(({ name }) => name === listing.name) ?? listing;
        return { ...listing, rewards, community: { ...listing.community, timeZone } };
      });
    const now = clock.now();
    const since = now - simulatedMs;
    return store.simulation.simulateCredits({
      communityId,
      before: withRules(before),
      after: withRules(after),
      since,
      now,
      maxEntries,
      signal,
    });
  }

  return async (guildId: string, compared: ComparedSettings): Promise<SimulatedCredits | null> => {
    if (isRunning) return null;
    isRunning = true;
    const stop = new AbortController();
    try {
      return await withTimeout(maxWaitMs, stopwatch, run(guildId, compared, stop.signal));
    } catch (error) {
      log.warn(
        { guild: guildId, reason: messageOf(error) },
        'what changed rules would have paid could not be computed',
      );
      return null;
    } finally {
      stop.abort();
      isRunning = false;
    }
  };
}
