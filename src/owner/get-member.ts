import type { Account } from '../ledger/account.ts';
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
  readonly account: Account;
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
  const { records, ledger, cooldowns } = context;
  const [account, listings, entries, deliveries] = await Promise.all([
    ledger.account(userId),
    Promise.all([...cooldowns].map(([listing, cooldownMs]) => getVoteTimes(context, userId, listing, cooldownMs))),
    paginate(page, ({ limit, before }) => records.entries(userId, limit, before)),
    records.deliveries({ userId, limit: maxDeliveries, before: null }),
  ]);
  const [last = null] = listings
    .filter(({ lastVoteAt }) => lastVoteAt !== null)
    .sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
  return { account, last, listings, entries, unpaid: deliveries.filter(({ outcome }) => outcome !== 'recorded') };
}

async function getVoteTimes(
  { ledger }: OwnerContext,
  userId: string,
  listing: string,
  cooldownMs: number,
): Promise<VoteTimes> {
  const lastVoteAt = await ledger.lastVoteAt(userId, listing);
  return { listing, lastVoteAt, nextVoteAt: lastVoteAt === null ? null : lastVoteAt + cooldownMs };
}
