import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { createEncryption, type Encryption } from '@tallyhook/platform/encryption/encryption';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { createLoop } from '@tallyhook/platform/loop';
import type { Redactor } from '@tallyhook/platform/redactor';
import { communityConfig, communityConfigs, type OpenedSetting } from '../../../config/listings.ts';
import type { Config, FormerLink, ListingBase, ListingConfig } from '../../../config/schema.ts';
import { parseLink } from '../../core/settings/listing-settings.ts';
import type { StoredCommunity } from '../../core/settings/stored-settings.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import type { Directory, ListingTargets, LookupClients } from '../communities/feature.ts';
import { publicSlug } from '../public-pages/feature.ts';
import { Settings } from './settings.ts';
import { openSettings, type UnreadableSecret } from './stored.ts';

interface EffectiveSettings extends Pick<StoredCommunity, 'formerLinks'> {
  readonly settings: readonly OpenedSetting[];
  readonly isParked: boolean;
}

/** Keeps the listings in effect at what is stored of all communities. */
export class SettingsInEffect {
  base: ListingBase;
  /** The version of all settings that is in effect; 0 before they are loaded. */
  private applied = 0;
  private refreshing: Promise<void> = Promise.resolve();
  private readonly byGuild = new Map<string, EffectiveSettings>();
  /** The webhook secrets that cannot be decrypted here, by guild. */
  private readonly unreadable = new Map<string, readonly UnreadableSecret[]>();
  readonly options: {
    readonly store: Pick<SettingsStore, 'state' | 'changedAfter' | 'communities' | 'communitiesAfter'>;
    readonly encryption: Encryption;
    /** Adds the communities of guilds that have none yet. */
    readonly addCommunities: (guildIds: readonly string[]) => Promise<void>;
    /** Puts the listings of these communities into effect; without listings, a community ends. */
    readonly replace: (communities: ReadonlyMap<string | null, readonly ListingConfig[]>) => void;
    readonly redact: Pick<Redactor, 'add'> | null;
    readonly log: Log;
  };

  constructor(base: ListingBase, options: SettingsInEffect['options']) {
    this.base = base;
    this.options = options;
  }

  /** The number of listings with stored webhook secrets whose key this process does not have. */
  get listingsWithoutKey(): number {
    const names = [...this.unreadable.values()].map(
      (secrets) => new Set(secrets.flatMap(({ isKeyMissing, listing }) => (isKeyMissing ? [listing] : []))),
    );
    return names.reduce((sum, { size }) => sum + size, 0);
  }

  /** True if a webhook secret of a listing is stored, but cannot be decrypted here. */
  readonly isUnreadable = (name: string): boolean =>
    [...this.unreadable.values()].some((secrets) => secrets.some(({ listing }) => listing === name));

  /** Reads all communities; before anything is received. Rejects with the errors of the store. */
  async load(): Promise<void> {
    const { store } = this.options;
    const { version } = await store.state();
    await this.apply(await allCommunities(store));
    this.applied = version;
  }

  /** Applies what any process has changed since. Rejects with the errors of the store. */
  readonly refresh = (): Promise<void> => {
    const read = () => this.readChanges();
    // One after the other, so that an older state never replaces a newer one.
    const next = this.refreshing.then(read, read);
    this.refreshing = next.catch(() => {});
    return next;
  };

  /** Applies another configuration of the operator for the same guilds, with what communities have stored. */
  replaceBase(next: ListingBase): void {
    this.base = next;
    const guildIds = new Set([...next.sources.map(({ guildId }) => guildId), ...this.byGuild.keys()]);
    const changes = [...guildIds].map((guildId) => {
      const stored = guildId === null ? undefined : this.byGuild.get(guildId);
      const { listings } = communityConfig(next, guildId, stored?.settings ?? []);
      return [guildId, stored === undefined ? listings : inEffect(listings, stored)] as const;
    });
    this.options.replace(new Map(changes));
  }

  private async readChanges(): Promise<void> {
    const { store } = this.options;
    const { version } = await store.state();
    if (version === this.applied) return;
    const changed = await store.changedAfter(this.applied);
    if (changed.length > 0) await this.apply(await store.communities(changed.map(({ guildId }) => guildId)));
    this.applied = Math.max(version, ...changed.map((each) => each.version));
  }

  private async apply(communities: readonly StoredCommunity[]): Promise<void> {
    const changes = communities.flatMap((community) => {
      const listings = this.open(community);
      return listings === null ? [] : [[community.guildId, listings] as const];
    });
    if (changes.length === 0) return;
    await this.options.addCommunities(changes.flatMap(([guildId, { length }]) => (length === 0 ? [] : guildId)));
    this.options.replace(new Map(changes));
  }

  /** Null if the community keeps what is in effect, because a part of the new settings is not valid. */
  private open(community: StoredCommunity): readonly ListingConfig[] | null {
    const { encryption, redact, log } = this.options;
    const { guildId, version, formerLinks } = community;
    const { settings, secrets, unreadable } = openSettings(community, encryption);
    redact?.add(secrets);
    const isWebhook = ({ path }: UnreadableSecret) => path === 'voteSecrets' || path === 'premiumSecrets';
    this.unreadable.set(guildId, unreadable.filter(isWebhook));
    const { listings, issues } = communityConfig(this.base, guildId, settings);
    const keepsEarlier = this.byGuild.has(guildId) && unreadable.length + issues.length > 0;
    const consequence = keepsEarlier ? 'the community keeps its previous settings' : 'they are not in effect';
    for (const { listing, path, reason, hint } of unreadable) {
      log.error({ guild: guildId, listing, path, reason, hint }, `stored secrets cannot be decrypted; ${consequence}`);
    }
    for (const issue of issues) {
      log.error({ guild: guildId, version, ...issue }, `stored settings are not valid; ${consequence}`);
    }
    if (keepsEarlier) return null;
    const stored = { settings, formerLinks, isParked: community.parkedAt !== null };
    this.byGuild.set(guildId, stored);
    return inEffect(listings, stored);
  }
}

/** The listings of a guild with what was linked there before. A link without an id cannot be compared. */
function inEffect(
  configured: readonly ListingConfig[],
  { formerLinks, isParked }: EffectiveSettings,
): readonly ListingConfig[] {
  const listings = isParked ? configured.map(parkedListing) : configured;
  const former = formerLinks.flatMap(({ listing: name, value }): FormerLink[] => {
    const link = parseLink(parseJson(value));
    const isLinked = listings.some((each) => each.name === name);
    return link === null || link.id === null || isLinked ? [] : [{ ...link, name, id: link.id }];
  });
  return former.length === 0 ? listings : listings.map((listing) => ({ ...listing, formerLinks: former }));
}

/**
 * A listing of a community that the bot has left: votes are recorded, nothing is posted or given in the guild, and it has no
 * public page.
 */
function parkedListing(listing: ListingConfig): ListingConfig {
  const { rewards } = listing;
  return {
    ...listing,
    announceChannelId: null,
    premiumChannelId: null,
    ownerChannelId: null,
    ...publicSlug.as(null),
    rewards: {
      ...rewards,
      voterRole: null,
      premiumRoles: {},
      milestones: rewards.milestones.map((milestone) => ({ ...milestone, role: null })),
    },
  };
}

const communitiesPerPage = 500;

/** Configuration at a moment, for a command beside the running program. */
export type EffectiveListings = Awaited<ReturnType<typeof effectiveListings>>;

/** The listings of settings and database together. Only reads. Rejects with the errors of the store. */
export async function effectiveListings(
  { base, encryption: keys }: Pick<Config, 'base' | 'encryption'>,
  store: Pick<SettingsStore, 'communitiesAfter'>,
) {
  const communities = await allCommunities(store);
  const encryption = createEncryption(keys);
  const opened = communities
    .filter(({ parkedAt }) => parkedAt === null)
    .map((community) => ({ guildId: community.guildId, ...openSettings(community, encryption) }));
  const parked = new Set<string | null>(communities.flatMap((each) => (each.parkedAt === null ? [] : each.guildId)));
  const stored = new Map(opened.map(({ guildId, settings }) => [guildId, settings]));
  const present = communityConfigs(base, stored).filter(({ guildId }) => !parked.has(guildId));
  return {
    listings: present.flatMap(({ listings }) => listings),
    guildIds: present.flatMap(({ guildId }) => guildId ?? []),
    /** The stored secrets, which nothing may show. */
    secrets: opened.flatMap(({ secrets }) => secrets),
    /** Stored secrets that cannot be decrypted here. */
    unreadable: opened.flatMap(({ guildId, unreadable }) => unreadable.map((secret) => ({ guildId, ...secret }))),
  };
}

async function allCommunities(store: Pick<SettingsStore, 'communitiesAfter'>): Promise<readonly StoredCommunity[]> {
  const all: StoredCommunity[] = [];
  for (;;) {
    const page = await store.communitiesAfter(all.at(-1)?.guildId ?? '', communitiesPerPage);
    all.push(...page);
    if (page.length < communitiesPerPage) return all;
  }
}

/** How often to look for changes of other processes (ms). It reads one row. */
const pollMs = 2 * second;

export function createSettings(
  config: Config,
  options: Omit<SettingsInEffect['options'], 'replace' | 'store'> & {
    readonly store: SettingsStore;
    readonly directory: Directory;
    readonly lookups: Pick<LookupClients, 'prepare'>;
    readonly targets: Pick<ListingTargets, 'find'>;
    /** Issues of values that only one community can have: see {@link Settings}. */
    readonly issuesWithOthers?: ConstructorParameters<typeof Settings>[0]['issuesWithOthers'];
    /** Called after each change, so that other processes can be notified. */
    readonly onSaved: () => void;
    /** Reads what else may have changed, whenever changes of settings are looked for. */
    readonly alsoRefresh?: () => Promise<void>;
    readonly clock: Clock;
  },
) {
  const { store, encryption, directory, lookups, targets, issuesWithOthers, onSaved, alsoRefresh, clock, log } =
    options;
  const sync = new SettingsInEffect(config.base, { ...options, replace });

  /** Replaces nothing if one of the keys is not valid. */
  function replace(communities: ReadonlyMap<string | null, readonly ListingConfig[]>): void {
    const unchanged = directory.listings.filter(({ guildId }) => !communities.has(guildId));
    const replaceLookups = lookups.prepare([...unchanged, ...[...communities.values()].flat()]);
    replaceLookups();
    directory.replace(communities);
  }

  return {
    sync,
    /** Applies what other processes have saved; woken when one of them says so. */
    loop: createLoop({
      async round() {
        await sync.refresh();
        await alsoRefresh?.();
      },
      pauseMs: pollMs,
      onError(error, isRepeated) {
        if (!isRepeated) log.warn({ reason: messageOf(error) }, 'changed settings could not be read; retrying');
      },
      clock,
    }),
    /** Creates the key file if `/setup` needs one, so that a folder that cannot be written is reported at the start. */
    async prepareKey(): Promise<void> {
      if (!encryption.canSeal) return;
      try {
        encryption.keyFor((await store.state()).keyId);
      } catch (error) {
        if (!(error instanceof TallyhookError)) throw error;
        log.warn({ hint: error.hint }, `no listing can be linked with /setup: ${error.message}`);
      }
    },
    setup: new Settings({
      store,
      encryption,
      publicUrl: config.publicUrl,
      clock,
      base: () => sync.base,
      findTarget: targets.find,
      ...(issuesWithOthers && { issuesWithOthers }),
      onKeyMissing: (cause) => log.error(cause, 'secrets entered with /setup cannot be stored'),
      async apply() {
        await sync.refresh();
        onSaved();
      },
    }),
  };
}
