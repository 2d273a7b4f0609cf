import type { Account } from '../ledger/account.ts';
import type { OwnerContext } from './context.ts';
import { paginate, type ResultPage } from './paginate.ts';
import type { DeliveryRecord, EntryRecord, Page } from './records.ts';

/** A member's last and next vote for a listing (ms since the epoch); null before the first. */
export interface VoteTimes {
  readonly listing: string;
  readonly lastVoteAt: number | null;
  readonly nextVoteAt: number | null;
}

/** All that is known of one member. */
export interface MemberDetails {
  readonly account: Account;
  /** The listing of the last vote; null before the first. */
  readonly last: VoteTimes | null;
  readonly listings: readonly VoteTimes[];
  readonly entries: ResultPage<EntryRecord>;
  /** The newest deliveries that name the member and left no entry: repeats, tests, and what was not understood. */
  readonly unpaid: readonly DeliveryRecord[];
}

/** How many deliveries of a member are looked at for those that left no entry. */
const looked = 100;

/** @param page the stretch of the entries */
export async function getMember(services: OwnerContext, userId: string, page: Page): Promise<MemberDetails> {
  const { records, ledger, cooldowns } = services;
  const [account, listings, entries, deliveries] = await Promise.all([
    ledger.account(userId),
    Promise.all([...cooldowns].map(([listing, cooldown]) => votesOn(services, userId, listing, cooldown))),
    paginate(page, ({ limit, before }) => records.entries(userId, limit, before)),
    records.deliveries({ userId, limit: looked, before: null }),
  ]);
  const [last = null] = listings
    .filter(({ lastVoteAt }) => lastVoteAt !== null)
    .sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
  return { account, last, listings, entries, unpaid: deliveries.filter(({ outcome }) => outcome !== 'recorded') };
}

async function votesOn(
  { ledger }: OwnerContext,
  userId: string,
  listing: string,
  cooldown: number,
): Promise<VoteTimes> {
  const lastVoteAt = await ledger.lastVoteAt(userId, listing);
  return { listing, lastVoteAt, nextVoteAt: lastVoteAt === null ? null : lastVoteAt + cooldown };
}
