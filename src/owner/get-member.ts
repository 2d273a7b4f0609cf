import { lastVoteIn } from '../ledger/account.ts';
import type { Standing } from '../ledger/standing.ts';
import { type PageRequest, paginate, type ResultPage } from '../web/pagination.ts';
import type { OwnerContext } from './context.ts';
import type { DeliveryRecord, EntryRecord } from './records.ts';

/** A member's last and next vote for a listing (ms since the epoch); null before the first vote. */
export interface VoteTimes {
  readonly listing: string;
  readonly lastVoteAt: number | null;
  readonly nextVoteAt: number | null;
}

export interface MemberDetails {
  readonly standing: Standing;
  /** Whether the member is reminded of the next vote. */
  readonly isReminded: boolean;
  /** The listing with the most recent vote; null before the first vote. */
  readonly last: VoteTimes | null;
  readonly listings: readonly VoteTimes[];
  readonly entries: ResultPage<EntryRecord>;
  /** The newest deliveries of the member without an entry: duplicates, tests, and quarantined ones. */
  readonly unpaid: readonly DeliveryRecord[];
}

/** The newest deliveries of a member that are searched for ones without an entry. */
const maxDeliveries = 100;

/** @param page of the entries */
export async function getMember(context: OwnerContext, userId: string, page: PageRequest): Promise<MemberDetails> {
  const { records, standings, cooldowns, clock } = context;
  const [standing, isReminded, entries, deliveries] = await Promise.all([
    standings.standing(userId, clock.now()),
    context.isReminded(userId),
    paginate(page, ({ limit, before }) => records.entries(userId, limit, before)),
    records.deliveries({ userId, limit: maxDeliveries, before: null }),
  ]);
  const listings = [...cooldowns()].map(([listing, cooldownMs]) => voteTimesOf(standing, listing, cooldownMs));
  const [last = null] = listings
    .filter(({ lastVoteAt }) => lastVoteAt !== null)
    .sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
  return {
    standing,
    isReminded,
    last,
    listings,
    entries,
    unpaid: deliveries.filter(({ outcome }) => outcome !== 'recorded'),
  };
}

function voteTimesOf({ lastVotes }: Standing, listing: string, cooldownMs: number): VoteTimes {
  const lastVoteAt = lastVoteIn(lastVotes, listing);
  return { listing, lastVoteAt, nextVoteAt: lastVoteAt === null ? null : lastVoteAt + cooldownMs };
}
