import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import type { ListingConfig } from '../../../config/schema.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Standings } from '../../core/ledger/standing.ts';
import type { SharedSettings } from '../../core/settings/setting-spec.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import { sharedSettings } from '../settings.ts';
import type { FindCommunityId } from './community-ids.ts';
import {
  type CommunityListing,
  configuredId,
  type FindTargetId,
  isRepeated,
  knownId,
  listingsByGuild,
  listingsOfCommunity,
} from './listings.ts';

/** All listings of one guild, or those whose guild is not known. Never changed: a new setting makes a new object. */
export interface Community extends SharedSettings {
  /** Null for the listings whose guild is not known. */
  readonly guildId: string | null;
  readonly id: CommunityId;
  readonly listings: readonly CommunityListing[];
  /**
   * The listings but those that only the variables imply, and those that another one with the same target represents.
   */
  readonly named: readonly CommunityListing[];
  /** Set up in Discord by its owner, who need not be the operator. */
  readonly isHosted: boolean;
}

export type Directory = ReturnType<typeof createDirectory>;

/** No communities; the same object every time. */
const nothing: readonly Community[] = [];

export function createDirectory(
  listings: readonly ListingConfig[],
  idOf: FindCommunityId,
  targetIdOf: FindTargetId = configuredId,
) {
  const complete = (configured: readonly ListingConfig[]) => listingsOfCommunity(configured, idOf, targetIdOf);
  const listeners: ((guildIds: readonly string[]) => void)[] = [];
  const communities = new Map<string | null, readonly [Community]>();
  let index = indexOf(communities);
  set(listingsByGuild(listings));

  function set(changes: ReadonlyMap<string | null, readonly ListingConfig[]>): void {
    for (const [guildId, changed] of changes) {
      const [first] = changed;
      if (first === undefined) communities.delete(guildId);
      else communities.set(guildId, [communityOf(guildId, sharedSettings(first), complete(changed), idOf)]);
    }
    index = indexOf(communities);
  }

  /** Replaces the listings of these communities at once; without listings, a community ends. */
  function replace(changes: ReadonlyMap<string | null, readonly ListingConfig[]>): void {
    const changed = [...changes].filter(([guildId, next]) => {
      const current = communities.get(guildId)?.[0].listings ?? [];
      return !isDeepStrictEqual(current, complete(next));
    });
    if (changed.length === 0) return;
    set(new Map(changed));
    const guildIds = changed.flatMap(([guildId]) => guildId ?? []);
    for (const listener of listeners) listener(guildIds);
  }

  return {
    /** Community by community. */
    get listings(): readonly CommunityListing[] {
      return index.listings;
    },
    get communities(): readonly Community[] {
      return index.communities;
    },
    /** Some communities were set up in Discord, so nothing of one may be seen in another guild. */
    get isShared(): boolean {
      return index.isShared;
    },
    find: (name: string) => index.byName.get(name)?.listing,
    /** The names of all listings with the target of this one, itself included; the first is used for all. */
    namesOf: (name: string): readonly string[] => index.byName.get(name)?.names ?? [name],
    communityOf: (name: string) => index.byName.get(name)?.community,
    /** The listings whose announcements or reports go to this channel. */
    inChannel: (channelId: string): readonly CommunityListing[] => index.byChannel.get(channelId) ?? [],
    ofGuild: (guildId: string | null) => communities.get(guildId)?.[0],
    /** The community of listings without a guild, also if it has a guild by now. */
    get byDefault(): Community | undefined {
      const id = idOf(null);
      return communities.get(null)?.[0] ?? index.communities.find((community) => community.id === id);
    },
    /**
     * The communities of a command: the guild's own; in direct messages all; in a guild without one the operator's, or
     * none if others share the program.
     */
    inGuild(guildId: string | null): readonly Community[] {
      const own = guildId === null ? undefined : communities.get(guildId);
      if (own !== undefined) return own;
      return guildId !== null && index.isShared ? nothing : index.communities;
    },
    replace,
    /** Compares the targets of the listings again, when the id of one has become known. */
    refreshTargets: () => replace(listingsByGuild(index.listings)),
    /** Calls the listener after each change, with the guilds whose listings have changed, as far as they are known. */
    onChange: (listener: (guildIds: readonly string[]) => void) => void listeners.push(listener),
  };
}

function communityOf(
  guildId: string | null,
  shared: SharedSettings,
  listings: readonly CommunityListing[],
  idOf: FindCommunityId,
): Community {
  const named = listings.filter((listing) => !listing.implied && !isRepeated(listing));
  const isHosted = listings.some(({ linked }) => linked);
  return { ...shared, id: knownId(idOf, guildId), guildId, listings, named, isHosted };
}

function indexOf(byGuildId: ReadonlyMap<string | null, readonly [Community]>) {
  const communities = [...byGuildId.values()].flat();
  const listings = communities.flatMap((community) => community.listings);
  const byName = new Map(
    communities.flatMap((community) =>
      community.listings.map((listing) => {
        const names = namesOfTarget(listing.community, listing.name);
        return [listing.name, { listing, community, names }] as const;
      }),
    ),
  );
  const byChannel = new Map<string, CommunityListing[]>();
  for (const listing of listings) {
    const { announceChannelId, premiumChannelId, ownerChannelId } = listing;
    for (const channelId of new Set([announceChannelId, premiumChannelId, ownerChannelId])) {
      if (channelId === null) continue;
      const others = byChannel.get(channelId);
      if (others === undefined) byChannel.set(channelId, [listing]);
      else others.push(listing);
    }
  }
  return { communities, listings, byName, byChannel, isShared: communities.some(({ isHosted }) => isHosted) };
}

/** In place of a guild, where a caller has to name the community of listings without a guild. */
export const withoutGuild = 'none';

export function describeCommunities({ communities }: Pick<Directory, 'communities'>): string {
  return communities
    .map(({ guildId, listings }) => `${guildId ?? withoutGuild} (${listings.map(({ name }) => name).join(', ')})`)
    .join('; ');
}

/** The communities, each once: listings without a guild may belong to one that has a guild. */
export function distinctCommunities({ communities }: Pick<Directory, 'communities'>): readonly Community[] {
  return [...new Map(communities.toReversed().map((community) => [community.id, community])).values()].reverse();
}

/** The only community, where none is named. @throws TallyhookError `ledger_unknown_community` */
export function onlyCommunity(directory: Pick<Directory, 'communities'>): Community {
  const [only, ...others] = distinctCommunities(directory);
  if (only === undefined) {
    throw new TallyhookError('ledger_unknown_community', 'There is no community yet.', {
      hint: 'Configure a listing, or link one with /setup.',
    });
  }
  if (others.length > 0) {
    const message = `There are several communities, so one has to be named: ${describeCommunities(directory)}.`;
    throw new TallyhookError('ledger_unknown_community', message, { hint: 'Pass the id of its guild as guildId.' });
  }
  return only;
}

/** The standings in {@link onlyCommunity}; each call rejects as it throws. */
export function standingsOfOnly(
  directory: Pick<Directory, 'communities'>,
  standingsIn: (communityId: CommunityId, timeZone: string, hiddenRoles: readonly string[]) => Standings,
): Standings {
  const only = () => {
    const { id, timeZone, listings } = onlyCommunity(directory);
    return standingsIn(id, timeZone, hiddenRolesOf(listings));
  };
  return {
    standing: async (userId, now) => only().standing(userId, now),
    summary: async (userId, now) => only().summary(userId, now),
    lastVotes: async (userId) => only().lastVotes(userId),
    leaderboard: async (query, now) => only().leaderboard(query, now),
  };
}

/** How often the service is asked again for ids that are not known yet (ms). */
const retryMs = minute;
/** Otherwise a change of the listings is awaited (ms). */
const idleMs = day;

type TargetedListing = Pick<ListingConfig, 'name' | 'id' | 'lookupKey'>;

/** The server or bot that a listing is. `id` is its Discord id; null if the service does not say it. */
type Target = { readonly isKnown: true; readonly id: string | null } | { readonly isKnown: false };

export type ListingTargets = ReturnType<typeof createListingTargets>;

/** Undefined if the id is not known there. */
type ReadId = (listing: ListedLookup) => Promise<string | null | undefined>;

/** The servers and bots that listings are whose settings do not say it: the service says whose an API key is. */
export function createListingTargets(findLookup: (listing: string) => ListedLookup | undefined) {
  /** By API key, because a listing can get another one. */
  const known = new Map<string, string | null>();

  function targetOf({ id, lookupKey }: TargetedListing): Target {
    if (id !== null) return { isKnown: true, id };
    const found = lookupKey === null ? undefined : known.get(lookupKey);
    return found === undefined ? { isKnown: false } : { isKnown: true, id: found };
  }

  async function ask(listing: TargetedListing, readId: ReadId): Promise<Target> {
    const target = targetOf(listing);
    const found = findLookup(listing.name);
    if (target.isKnown || listing.lookupKey === null || found === undefined || found.isSilent) return target;
    const id = await readId(found).catch(() => undefined);
    if (id !== undefined) known.set(listing.lookupKey, id);
    return targetOf(listing);
  }

  return {
    targetOf,
    /** Asks the service if it has not said it yet; from the cache, if it is there. Never rejects. */
    find: (listing: TargetedListing) => ask(listing, async ({ lookup }) => (await lookup.profile()).value.id),
    /** Finds the id of a listing in the cache alone, however old: it sends no request. Never rejects. */
    recall: (listing: TargetedListing) => ask(listing, async ({ lookup }) => (await lookup.cached.profile())?.id),
  };
}

/** Finds the ids by which listings of a guild are compared: only beside another one of their kind. */
export function createTargetLoop(options: {
  readonly targets: ListingTargets;
  readonly directory: Directory;
  readonly clock: Clock;
}) {
  const { targets, directory, clock } = options;
  let isRunning = false;

  function unknownIn({ listings }: Pick<Community, 'listings'>): readonly TargetedListing[] {
    const byKind = Map.groupBy(
      listings.filter(({ implied }) => !implied),
      ({ kind }) => kind,
    );
    const besideOthers = [...byKind.values()].filter(({ length }) => length > 1).flat();
    return besideOthers.filter((listing) => listing.lookupKey !== null && !targets.targetOf(listing).isKnown);
  }

  const unknownListings = () => directory.communities.flatMap(unknownIn);

  const loop = createLoop({
    async round(signal) {
      for (const listing of unknownListings()) if (!signal.aborted) await targets.find(listing);
      if (!signal.aborted) directory.refreshTargets();
    },
    pauseMs: () => (unknownListings().length === 0 ? idleMs : retryMs),
    // The targets are asked for without errors.
    onError(error) {
      throw error;
    },
    clock,
  });

  return {
    /** Asks at once for what is not known of the community of a listing. Never rejects. */
    async compare(listing: string): Promise<void> {
      const community = directory.communityOf(listing);
      const unknown = community === undefined ? [] : unknownIn(community);
      if (unknown.length === 0) return;
      await Promise.all(unknown.map(targets.find));
      directory.refreshTargets();
    },
    start(): void {
      if (isRunning) return;
      isRunning = true;
      directory.onChange(loop.wake);
      loop.start();
    },
    /** Does not wait for a request in progress, whose result makes no difference any more. */
    async stop(): Promise<void> {
      void loop.stop();
    },
  };
}

/** How often the cache is read for the id of a listing that is not known (ms). */
const recallMs = hour;

/** The Discord id of a listing, without a request; null if it is not known, or not yet in memory. */
export function createKnownTargets(options: {
  readonly directory: Pick<Directory, 'find'>;
  readonly targets: Pick<ListingTargets, 'targetOf' | 'recall'>;
  readonly clock: Clock;
}): (listing: string) => string | null {
  const { directory, targets, clock } = options;
  const recalledAt = new Map<string, number>();
  return (name) => {
    const listing = directory.find(name);
    if (listing === undefined) return null;
    const target = targets.targetOf(listing);
    if (target.isKnown) return target.id;
    const { lookupKey } = listing;
    if (lookupKey === null || clock.monotonic() - (recalledAt.get(name) ?? -recallMs) < recallMs) return null;
    recalledAt.set(name, clock.monotonic());
    void targets.recall(listing);
    return null;
  };
}
