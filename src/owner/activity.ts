import type { CommunityId } from '../core/ledger/account.ts';
import type { CountVoters, WeekVoters } from '../core/store/standings/voters.ts';
import type { DayVotes, VoteActivity } from '../core/store/standings/votes-per-day.ts';
import { calendarOf } from '../core/tally/community.ts';
import type { CommunityListing } from '../features/communities/feature.ts';
import { findSite, service } from '../webhook/sites/index.ts';

/** The counted votes of the last 30 days, today included. */
export interface Activity {
  readonly days: readonly DayVotes[];
  /** By the hour of the day: 24 numbers. */
  readonly hours: readonly number[];
  /** By site, most votes first; of sites with votes alone. */
  readonly sites: readonly { readonly site: string; readonly votes: number }[];
  /** The voters of the current week; null where several communities are shown. */
  readonly voters: WeekVoters | null;
}

interface ActivityQuery {
  /** The names of those whose votes count; null for all, also of listings that are gone. */
  readonly names: readonly string[] | null;
  readonly listings: readonly Pick<CommunityListing, 'name' | 'site'>[];
  readonly timeZone: string;
  readonly communityId: CommunityId | null;
  /** ms since the epoch */
  readonly now: number;
}

/** Reads when and where members vote. Rejects with the driver's error. */
export async function readActivity(
  store: { voteActivityIn(timeZone: string): VoteActivity; readonly countVoters: CountVoters },
  { names, listings, timeZone, communityId, now }: ActivityQuery,
): Promise<Activity> {
  const activity = store.voteActivityIn(timeZone);
  const shown = listings.filter(({ name }) => names?.includes(name) ?? true);
  const bySite = Map.groupBy(shown, ({ site }) => (site === undefined ? service : findSite(site)).name);
  const [{ days, hours }, sites, voters] = await Promise.all([
    activity(names, now),
    Promise.all(
      [...bySite].map(async ([site, all]) => {
        const own = await activity(
          all.map(({ name }) => name),
          now,
        );
        return { site, votes: own.days.reduce((sum, { votes }) => sum + votes, 0) };
      }),
    ),
    communityId === null ? null : store.countVoters(communityId, calendarOf({ timeZone }).dayAt(now)),
  ]);
  const voted = sites.filter(({ votes }) => votes > 0).toSorted((a, b) => b.votes - a.votes);
  return { days, hours, sites: voted, voters };
}
