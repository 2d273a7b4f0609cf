import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLoop } from '@tallyhook/platform/loop';
import type { FormerLink, ListingConfig } from '../../../config/schema.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Standings } from '../../core/ledger/standing.ts';
import type { ListingWithSecrets } from '../../core/receiving/listing.ts';
import type { Milestone } from '../../core/rewards/rules.ts';
import type { SettingSpec } from '../../core/settings/setting-spec.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { AnnouncedEvents } from '../../core/tally/listing-context.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { ListingKind } from '../../lookup/lookup.ts';
import { settings } from '../settings.ts';
import type { FindCommunityId } from './community-ids.ts';
import type { Community, Directory } from './directory.ts';

/** The Discord id of the server or bot of a listing, as far as it is known; null otherwise. */
export type FindTargetId = (listing: Pick<ListingConfig, 'name' | 'id' | 'lookupKey'>) => string | null;

type ComparedListing = Pick<ListingConfig, 'name' | 'kind' | 'id' | 'lookupKey' | 'site'>;

export const configuredId: FindTargetId = ({ id }) => id;

/**
 * Listings of one guild by the server or bot that they are: those of one kind with the same id or the same API key. Of
 * several, those with an API key are first, because the first one represents the others.
 */
export function groupByTarget<Listing extends ComparedListing>(
  listings: readonly Listing[],
  targetIdOf: FindTargetId,
): readonly (readonly Listing[])[] {
  const groups = new Set<Listing[]>();
  const byMark = new Map<string, Listing[]>();
  for (const listing of listings) {
    const marks = marksOf(listing, targetIdOf);
    const found = new Set(marks.flatMap((mark) => [byMark.get(mark) ?? []].filter((group) => group.length > 0)));
    const group = [...[...found].flat(), listing];
    for (const merged of found) groups.delete(merged);
    groups.add(group);
    for (const member of group) for (const mark of marksOf(member, targetIdOf)) byMark.set(mark, group);
  }
  return [...groups].map((group) =>
    group.toSorted((a, b) => Number(a.lookupKey === null) - Number(b.lookupKey === null)),
  );
}

function marksOf(listing: ComparedListing, targetIdOf: FindTargetId): string[] {
  // One bot on several sites is several listings.
  const kind = listing.site === undefined ? listing.kind : `${listing.site.id} ${listing.kind}`;
  const { lookupKey } = listing;
  const id = targetIdOf(listing);
  return [...(id === null ? [] : [`${kind} id ${id}`]), ...(lookupKey === null ? [] : [`${kind} key ${lookupKey}`])];
}

/** A configured listing with what depends on the other listings of its community. */
export type CommunityListing = ListingConfig & ListingWithSecrets;

/** The value of the label `listing` for listings that were linked in Discord. */
export const linkedLabel = 'linked';

/** Throws an Error if the community was not added to the database yet. */
export function knownId(idOf: FindCommunityId, guildId: string | null): CommunityId {
  const id = idOf(guildId);
  if (id === undefined) throw new Error(`The community of the guild ${guildId} has no id.`);
  return id;
}

/** Listings by their guild, in the order in which they are configured. */
export function listingsByGuild(listings: readonly ListingConfig[]): Map<string | null, ListingConfig[]> {
  return Map.groupBy(listings, ({ guildId }) => guildId);
}

export function listingsWithCommunity(listings: readonly ListingConfig[], idOf: FindCommunityId): CommunityListing[] {
  return [...listingsByGuild(listings).values()].flatMap((each) => listingsOfCommunity(each, idOf));
}

export function listingsOfCommunity(
  listings: readonly ListingConfig[],
  idOf: FindCommunityId,
  targetIdOf: FindTargetId = configuredId,
): CommunityListing[] {
  const sameTarget = groupByTarget(listings, targetIdOf)
    .map((group) => [...group.map(({ name }) => name), ...formerNames(group, targetIdOf)])
    .filter(({ length }) => length > 1);
  const repeated = sameTarget.flatMap(([, ...others]) => others);
  const names = listings.filter(({ name, implied }) => !implied && !repeated.includes(name)).map(({ name }) => name);
  const shared = eventsSharedBy(listings);
  return listings.map((listing) => {
    const { guildId, timeZone, announcements } = listing;
    const { mode, milestones, premium } = announcements;
    const announced: AnnouncedEvents = { votes: mode === 'each', milestones, premium, ...shared };
    const community = { id: knownId(idOf, guildId), guildId, timeZone, listings: names };
    const withTargets = sameTarget.length === 0 ? community : { ...community, sameTarget };
    return { ...listing, community: withTargets, announced };
  });
}

/** The events that features announce for all listings of a community. */
function eventsSharedBy(listings: readonly ListingConfig[]): object {
  const specs: readonly SettingSpec[] = settings;
  return Object.assign(
    {},
    ...specs.map(({ event, inFile }) => event?.as(listings.every((each) => inFile(each) === true))),
  );
}

function formerNames(group: readonly ListingConfig[], targetIdOf: FindTargetId): readonly string[] {
  const [first] = group;
  const isSameKind = ({ kind, site }: FormerLink) => kind === first?.kind && site === first.site?.id;
  const former = first?.formerLinks?.filter(isSameKind) ?? [];
  const ids = former.length === 0 ? [] : group.map(targetIdOf);
  return [...new Set(former.filter(({ id }) => ids.includes(id)).map(({ name }) => name))];
}

/** Checks whether another listing with the same target represents this one, so that members see it once. */
export function isRepeated({ name, community }: Pick<CommunityListing, 'name' | 'community'>): boolean {
  return namesOfTarget(community, name)[0] !== name;
}

/**
 * A community that a command covers: its accounts, and the listings whose votes they are paid for.
 * @category Commands
 */
export interface CoveredCommunity {
  /** Names it in the options of components, which can be forged: the id of its guild, or `none` without one. */
  readonly id: string;
  readonly guildId: string | null;
  readonly listings: readonly ListedLookup[];
  readonly rules: readonly ListedRules[];
  readonly standings: Standings;
}

/** The rules that members see, of the listings that were configured. */
export function listedRules(listings: readonly CommunityListing[]): ListedRules[] {
  return listings
    .filter((listing) => !listing.implied && !isRepeated(listing))
    .map(({ name, kind, rewards: { base, milestones }, community }) => {
      const names = namesOfTarget(community, name);
      return { name, kind, cooldownMs: base.cooldownMs, milestones, ...(names.length > 1 && { names }) };
    });
}

/** The rules of a listing that members see. @category Commands */
export interface ListedRules {
  readonly name: string;
  /** All names of the server or bot, if it has several: a vote for one is a vote for all. @internal */
  readonly names?: readonly string[];
  readonly kind: ListingKind;
  /** How long a vote blocks the next one (ms). */
  readonly cooldownMs: number;
  readonly milestones: readonly Milestone[];
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

/** Which servers and bots listings are whose settings do not say it: the service says whose an API key is. */
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
    /** As {@link find}, but only from the cache, however old: it sends no request. Never rejects. */
    recall: (listing: TargetedListing) => ask(listing, async ({ lookup }) => (await lookup.cached.profile())?.id),
  };
}

/**
 * Finds the ids by which the listings of a guild are compared, and has them compared again. Only listings beside
 * another one of their kind are looked up, so most installations send no request.
 */
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

/**
 * The Discord id of the server or bot that a listing is; null if it is not known. Sends no request, and waits for
 * nothing: what the cache has is returned from the next call on.
 */
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
