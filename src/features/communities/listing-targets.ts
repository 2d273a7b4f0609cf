import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLoop } from '@tallyhook/platform/loop';
import type { ListingConfig } from '../../../config/schema.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { Community, Directory } from './directory.ts';

/** How often the service is asked again for ids that are not known yet (ms). */
const retryMs = minute;
/** Otherwise a change of the listings is awaited (ms). */
const idleMs = day;

/** A listing whose settings may leave out the id. */
export type TargetedListing = Pick<ListingConfig, 'name' | 'id' | 'lookupKey'>;

/** The server or bot that a listing is. `id` is its Discord id; null if the service does not say it. */
export type Target = { readonly isKnown: true; readonly id: string | null } | { readonly isKnown: false };

export type ListingTargets = ReturnType<typeof createListingTargets>;

/** Undefined if the id is not known there. */
type ReadId = (listing: ListedLookup) => Promise<string | null | undefined>;

/** Which servers and bots listings are whose settings do not say it: the service says whose an API key is. */
export function createListingTargets(findLookup: (listing: string) => ListedLookup | undefined) {
  /** By API key, because a listing can get another one. */
  const known = new Map<string, string | null>();

  /** The target as far as it is known now, without a request. */
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
