import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { CommunityId, LastVotes, LedgerReads } from '../../core/ledger/account.ts';
import type { Metrics } from '../../core/metrics.ts';
import { findLinkableSite } from '../../core/settings/listing-settings.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { NamesInDiscord } from '../../discord/known-guilds.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import type { LedgerVote } from '../../lookup/cache.ts';
import { createLookup, type LookupOptions } from '../../lookup/client.ts';
import type { BotProfile, KeyStatus, LookupClient, ServerProfile } from '../../lookup/lookup.ts';
import { createSiteClient, createSiteLookup, type SiteClient } from '../../lookup/sites/site-client.ts';
import { findSite } from '../../webhook/sites/index.ts';
import type { CommunityIds } from './community-ids.ts';
import { createDirectory, createListingTargets, createTargetLoop, type Directory } from './directory.ts';
import { linkedLabel } from './listings.ts';

export interface NamedListing {
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null if it is not configured. */
  readonly id: string | null;
  readonly title: string | null;
  /** The name of the other site that it is on; null for the document's service. */
  readonly siteName: string | null;
  /** The name on its site, as far as the API has stated it; null otherwise. */
  readonly nameOnSite: () => string | null;
}

/** How long a name in Discord that was never requested before is waited for (ms). */
const timeoutMs = second / 2;

/**
 * The display names of listings, as far as they are known now: the configured title, else the name in Discord, else the
 * name on the site, else that of the site; on the document's service its own name comes first. A name in Discord that is
 * not known is requested, for the next time.
 */
export function createListingNames(inDiscord: NamesInDiscord, stopwatch: Clock) {
  function nameOf(listing: NamedListing): string | null {
    const { title, siteName, kind, id, nameOnSite } = listing;
    const onService = siteName === null ? nameOnSite() : null;
    return title ?? onService ?? (id === null ? null : inDiscord.known(kind, id)) ?? nameOnSite() ?? siteName;
  }

  return {
    /** The name of a listing, with the site or the id if another listing has that name too. Null if none is known. */
    of(listing: NamedListing, community: readonly NamedListing[]): string | null {
      const name = nameOf(listing);
      const { siteName, id } = listing;
      const isShared = community.some((other) => !isSame(other, listing) && nameOf(other) === name);
      if (name === null || siteName === null || !isShared) return name;
      const mark = name === siteName ? id : siteName;
      return mark === null ? name : `${name} (${mark})`;
    },
    /** Waits for a moment until Discord has said the name, if nothing better is known. Never rejects. */
    async find({ title, siteName, nameOnSite, kind, id }: NamedListing): Promise<void> {
      const hasOwn = title !== null || (siteName === null && nameOnSite() !== null);
      if (hasOwn || id === null || inDiscord.known(kind, id) !== null) return;
      await settleWithin(timeoutMs, stopwatch, inDiscord.find(kind, id));
    },
  };
}

export type ListingNames = ReturnType<typeof createListingNames>;

/** One server or bot that is linked twice is one listing to members. */
function isSame(one: NamedListing, other: NamedListing): boolean {
  return one === other || (one.kind === other.kind && one.id === other.id && one.siteName === other.siteName);
}

type Profile = ServerProfile | BotProfile;

/**
 * A client whose profile has the display name of the listing, so that everything that shows the profile does.
 * @param options.note gets the name on the site
 * @param options.find waits until the display name is known
 * @param options.displayName null if the client knows best
 */
export function withDisplayName(
  lookup: LookupClient,
  options: {
    readonly note: (name: string) => void;
    readonly find: () => Promise<void>;
    readonly displayName: () => string | null;
  },
): LookupClient {
  const { note, find, displayName } = options;
  let latest: { readonly profile: Profile; readonly renamed: Profile } | null = null;

  /** Renames a profile: the same object for the same one, because replies are rendered once for each. */
  function rename(profile: Profile): Profile {
    if (profile.name !== '') note(profile.name);
    const name = displayName();
    if (name === null || name === profile.name) return profile;
    if (latest?.profile !== profile || latest.renamed.name !== name)
      latest = { profile, renamed: { ...profile, name } };
    return latest.renamed;
  }

  return {
    ...lookup,
    async profile(query) {
      const cached = await lookup.profile(query);
      // What it is called on the site may make it unnecessary to ask Discord.
      rename(cached.value);
      await find();
      const value = rename(cached.value);
      return value === cached.value ? cached : { ...cached, value };
    },
    cached: {
      ...lookup.cached,
      async profile() {
        const profile = await lookup.cached.profile();
        return profile && rename(profile);
      },
    },
  };
}

const noNames: NamesInDiscord = { known: () => null, find: async () => null };

/** A deferred command must respond within 15 s of the interaction. */
const requestTimeoutMs = 9 * second;
const namesTimeoutMs = second / 2;

interface ConfiguredClient extends NamedListing {
  readonly name: string;
  readonly guildId: string | null;
  /** All that it was made of: with other settings, there is another client. */
  readonly madeOf: string;
  readonly linked: boolean;
  readonly displayName: () => string;
  readonly lookup: LookupClient;
  readonly site?: ListedLookup['site'];
  readonly isSilent: boolean;
  /** The client of another site; null without an API. */
  readonly siteClient: SiteClient | null;
}

interface LookupClientDependencies {
  readonly store: {
    readonly budgetStore: BudgetStore;
    readonly ledgerIn: (communityId: CommunityId) => LedgerReads;
    readonly nextVotes: {
      /** The last vote, and when the next one is due by what the site has said, or by the cooldown. */
      readonly lastVoteFor: (
        member: { readonly userId: string; readonly lastVotes: LastVotes },
        target: { readonly names: readonly string[]; readonly cooldownMs: number },
      ) => Promise<LedgerVote | null>;
    };
  };
  readonly communityIds: Pick<CommunityIds, 'of'>;
  /** The names of all listings with the target of a listing; by default only its own. */
  readonly namesOf?: (listing: string) => readonly string[];
  /** By default what Discord says is not known. */
  readonly inDiscord?: NamesInDiscord;
  readonly cache: NonNullable<LookupOptions['cache']>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Real time, for the connection to Discord. */
  readonly stopwatch?: Clock;
  readonly log: Log;
}

/** The lookup clients of all listings. Created without a request. */
export class LookupClients {
  readonly #config: Pick<Config, 'lookup' | 'siteApiUrl'>;
  readonly #dependencies: LookupClientDependencies;
  readonly #names: ListingNames;
  #clients: ReadonlyMap<string, ConfiguredClient> = new Map();
  #byGuild: ReadonlyMap<string | null, readonly ConfiguredClient[]> = new Map();
  #former: ReadonlyMap<string, FormerListing> = new Map();

  /** @throws TallyhookError `lookup_key_malformed` */
  constructor(config: Pick<Config, 'listings' | 'lookup' | 'siteApiUrl'>, dependencies: LookupClientDependencies) {
    this.#config = config;
    this.#dependencies = dependencies;
    this.#names = createListingNames(dependencies.inDiscord ?? noNames, this.#stopwatch);
    this.prepare(config.listings)();
  }

  get #stopwatch(): Clock {
    return this.#dependencies.stopwatch ?? this.#dependencies.clock;
  }

  #namesOf(listing: string): readonly string[] {
    return this.#dependencies.namesOf?.(listing) ?? [listing];
  }

  #optionsOf({ name, guildId, rewards, linked }: ListingConfig) {
    const { store, communityIds, cache, metrics, clock, log } = this.#dependencies;
    // The number of time series must not grow with the number of communities.
    const label = linked ? linkedLabel : name;
    return {
      cache,
      budget: store.budgetStore,
      clock,
      log,
      timeoutMs: requestTimeoutMs,
      lastVote: async (userId) => {
        const communityId = communityIds.of(guildId);
        return communityId === undefined ? null : store.ledgerIn(communityId).lastVoteAt(userId, this.#namesOf(name));
      },
      cooldownMs: rewards.base.cooldownMs,
      observe(observed) {
        const { event, resource } = observed;
        metrics.lookups.inc({ listing: label, event, resource });
        if (event === 'failed') metrics.lookupFailures.inc({ listing: label, code: observed.code });
      },
      observeAge: (resource, age) => metrics.lookupAge.observe({ listing: label, resource }, age / second),
    } satisfies Partial<LookupOptions>;
  }

  #nameClient({ name, kind, id, guildId, title }: ListingConfig, siteName: string | null) {
    const known = this.#clients.get(name);
    let nameOnSite: string | null = null;
    const listing: NamedListing = { kind, id, title, siteName, nameOnSite: () => nameOnSite };
    if (known !== undefined && isSame(known, listing)) nameOnSite = known.nameOnSite();
    const displayName = () => this.#names.of(listing, this.#byGuild.get(guildId) ?? []);
    return {
      ...listing,
      displayName: () => displayName() ?? name,
      withName: (lookup: LookupClient) =>
        withDisplayName(lookup, {
          note(next) {
            nameOnSite = next;
          },
          find: () => this.#names.find(listing),
          displayName,
        }),
    };
  }

  /** The client of a listing, by its API key or by what a site or the ledger alone knows; new if its settings changed. */
  #clientOf(listing: ListingConfig): ConfiguredClient {
    const { name, kind, id, guildId, title, site: settings, rewards, linked = false } = listing;
    const { baseUrl } = this.#config.lookup;
    // A process that only receives may have keys, but no address to use them at.
    const key = settings === undefined && baseUrl !== '' ? listing.lookupKey : null;
    const madeOf = JSON.stringify([settings, key, kind, id, guildId, title, rewards.base.cooldownMs, linked]);
    const known = this.#clients.get(name);
    if (known?.madeOf === madeOf) return known;
    const site = settings && findSite(settings);
    const options = this.#optionsOf(listing);
    const { withName, ...named } = this.#nameClient(listing, site?.name ?? null);
    const client = { ...named, name, guildId, madeOf, linked };
    if (key !== null) {
      const lookup = withName(createLookup({ kind, baseUrl, key, ...options }));
      return { ...client, lookup, isSilent: false, siteClient: null };
    }
    const siteClient =
      site === undefined
        ? null
        : createSiteClient(
            { site: site.id, kind, id, key: settings?.key ?? null },
            { ...options, apiUrl: this.#config.siteApiUrl },
          );
    const page = site?.votePage({ kind, id, slug: settings?.slug ?? null }) ?? null;
    const lastVote = this.#lastVoteOf(listing);
    const lookup = withName(createSiteLookup({ kind, id, page, client: siteClient, ...options, lastVote }));
    const listed = site && { site: { id: site.id, name: site.name } };
    return { ...client, lookup, isSilent: siteClient === null, siteClient, ...listed };
  }

  #lastVoteOf(listing: ListingConfig): (userId: string) => Promise<LedgerVote | null> {
    const { name, rewards } = listing;
    const { lastVote } = this.#optionsOf(listing);
    return async (userId) => {
      const at = await lastVote(userId);
      const lastVotes = at === null ? {} : { [name]: at };
      const { cooldownMs } = rewards.base;
      return this.#dependencies.store.nextVotes.lastVoteFor(
        { userId, lastVotes },
        { names: this.#namesOf(name), cooldownMs },
      );
    };
  }

  /**
   * Checks the API keys of all listings and returns a function that puts them into use, with clients for new listings
   * and without those of others. A client whose settings are unchanged stays the same object.
   * @throws TallyhookError `lookup_key_malformed`
   */
  prepare(listings: readonly ListingConfig[]): () => void {
    // Of the variables, which describe a server and a bot, the one that there may not be.
    const present = listings.filter(({ implied, lookupKey }) => !implied || lookupKey !== null);
    const next = new Map(present.map((listing) => [listing.name, this.#clientOf(listing)]));
    return () => {
      this.#clients = next;
      this.#byGuild = Map.groupBy(next.values(), ({ guildId }) => guildId);
      this.#former = new Map(listings.flatMap(formerListings));
    };
  }

  /** The display name as far as it is known now, also of an unlinked listing; its configured name otherwise. */
  readonly displayName = (name: string): string => {
    const client = this.#clients.get(name);
    if (client !== undefined) return client.displayName();
    const listing = this.#former.get(name);
    return listing === undefined ? name : (this.#names.of(listing, this.#byGuild.get(listing.guildId) ?? []) ?? name);
  };

  /** The display names of listings, by their configured names. Takes half a second at most, and never rejects. */
  readonly displayNames = async (listings: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const profiles = listings.flatMap((name) => this.#clients.get(name)?.lookup.profile() ?? []);
    await settleWithin(namesTimeoutMs, this.#stopwatch, Promise.allSettled(profiles));
    return new Map(listings.map((name) => [name, this.displayName(name)]));
  };

  readonly find = (name: string): ListedLookup | undefined => this.#clients.get(name);

  of(listings: readonly ListingConfig[]): readonly ListedLookup[] {
    return inOrderOfCommands(listings.flatMap(({ name }) => this.#clients.get(name) ?? []));
  }

  /** The API of the other site that a listing is on; null if it has none that says who has voted. */
  readonly findSite = (name: string) => this.#clients.get(name)?.siteClient ?? null;

  /** The status of a listing's key; undefined without a key, or an API that it is for. */
  readonly keyStatus = async (name: string): Promise<KeyStatus | undefined> => {
    const client = this.#clients.get(name);
    return client && hasKey(client) ? client.lookup.keyStatus() : undefined;
  };

  /** The status of the key of each listing that the operator has configured and that has one, by the listing's name. */
  readonly keyStatuses = async (): Promise<ReadonlyMap<string, KeyStatus>> => {
    const all = [...this.#clients.values()].filter((client) => !client.linked && hasKey(client));
    return new Map(await Promise.all(all.map(async ({ name, lookup }) => [name, await lookup.keyStatus()] as const)));
  };
}

interface FormerListing extends NamedListing {
  readonly guildId: string | null;
}

function formerListings({ guildId, formerLinks = [] }: ListingConfig): readonly (readonly [string, FormerListing])[] {
  return formerLinks.map(({ name, kind, id, site }) => {
    const siteName = findLinkableSite(site)?.name ?? null;
    return [name, { kind, id, guildId, siteName, title: null, nameOnSite: () => null }] as const;
  });
}

const hasKey = ({ isSilent }: ConfiguredClient) => !isSilent;

/** The listings of all communities; the clients of the lookup API say which of them are the same server or bot. */
export function createComparedListings(config: Config, dependencies: Omit<LookupClientDependencies, 'namesOf'>) {
  const lookups: LookupClients = new LookupClients(config, {
    ...dependencies,
    namesOf: (name) => directory.namesOf(name),
  });
  const targets = createListingTargets(lookups.find);
  const directory: Directory = createDirectory(config.listings, dependencies.communityIds.of, (listing) => {
    const target = targets.targetOf(listing);
    return target.isKnown ? target.id : null;
  });
  const targetLoop = createTargetLoop({ targets, directory, clock: dependencies.clock });
  return { directory, lookups, targets, targetLoop };
}

/** The service before other sites, and servers before bots: commands take the first by default. */
export function inOrderOfCommands<Listed extends ListedLookup>(listed: readonly Listed[]): readonly Listed[] {
  const rank = ({ site, lookup }: ListedLookup) => (site === undefined ? 0 : 2) + (lookup.kind === 'bot' ? 1 : 0);
  return listed.toSorted((a, b) => rank(a) - rank(b));
}
