import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import type { ListingConfig } from '../../config/schema.ts';
import type { Cause } from '../../src/core/ledger/entry.ts';
import { entryPages } from '../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import { prepareCommunities } from '../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../src/features/communities/directory.ts';
import { listingsByGuild } from '../../src/features/communities/listings.ts';
import { openLedger } from './voting.ts';

/** A process with communities of which something is due after a period, at a time (ms since the epoch) that the test moves. */
export async function openPeriodWorld<Settings>(
  url: string,
  start: number,
  settings: Settings,
  listingsWith: (settings: Settings) => readonly ListingConfig[],
) {
  const clock = manualClock(start);
  const store = await openLedger(url, storeClock(clock));
  const listings = listingsWith(settings);
  const { of } = await prepareCommunities(store.communityIds, listings);
  const directory = createDirectory(listings, of);

  function community(index = 0) {
    const found = directory.communities[index];
    if (found === undefined) throw new Error('no community');
    return found;
  }

  return {
    ...{ url, clock, store, directory, community },
    now: () => clock.now(),
    /** Moves the clock to a time. */
    goTo: (at: number) => clock.advance(at - clock.now()),
    /** Settings that replace the present ones. */
    configure: (changed: Settings) => directory.replace(listingsByGuild(listingsWith(changed))),
    listing(index = 0) {
      const [listing] = community(index).listings;
      if (listing === undefined) throw new Error('no listing');
      return listing;
    },
  };
}

/** What members of a guild have won: the credits of entries with this cause, in the order of payment. */
export async function wonIn(url: string, cause: Cause, guild: string) {
  const snapshot = await openSnapshot(url);
  const won: Record<string, number[]> = {};
  try {
    for await (const page of entryPages(snapshot, { userId: null, since: null })) {
      for (const each of page) {
        if (each.cause === cause && each.guildId === guild) (won[each.userId] ??= []).push(each.credits);
      }
    }
    return won;
  } finally {
    await snapshot.close();
  }
}
