import type { AccountScope } from '../../core/ledger/account-id.ts';
import type { Cause } from '../../core/ledger/entry.ts';
import type { ReplayListing } from '../../core/rewards/replay-votes.ts';
import { countMembers, type MemberLedger, memberLedgers } from '../../core/store/member-ledgers.ts';
import { accessTo, type Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { countVotesBySlot, outagesIn, voteTimesIn } from '../../core/store/snapshots/vote-times.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { listingsByName } from '../../core/tally/replay-listings.ts';
import { findGoalSlots, goalTimes, slotMs } from '../../features/backfill/party-goals.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { startProgress } from '../../platform/terminal/progress.ts';
import type { Terminal } from '../../platform/terminal/terminal.ts';

/**
 * The history of a community, to replay its votes under rules.
 * @param stopped the message if the process is stopped meanwhile, with which `members` rejects
 */
export async function readHistory(
  snapshot: Snapshot,
  { listings, accounts }: { readonly listings: readonly ListingContext[]; readonly accounts: AccountScope },
  { terminal, stopped }: { readonly terminal: Terminal; readonly stopped: string },
) {
  const outages = await outagesIn(snapshot);
  const listingOf = listingsByName(listings, outages);
  const partyGoals = await partyGoalsIn(snapshot, accounts, listingOf(null));
  const access = accessTo(snapshot);
  const total = await countMembers(access, accounts);

  /** In the order of their ids. */
  async function* members(): AsyncGenerator<MemberLedger> {
    const progress = startProgress(terminal, { unit: 'members', total });
    let done = 0;
    try {
      for await (const member of memberLedgers(access, accounts)) {
        if (terminal.stop.aborted) throw new TallyhookError('stopped', stopped);
        yield member;
        done += 1;
        progress.advanceTo(done);
      }
    } finally {
      progress.end();
    }
  }

  return { outages, context: { listingOf, partyGoals }, members: members() };
}

/**
 * When the goal of each period was reached in a community (ms since the epoch), by the ID of the period; empty without a
 * party.
 */
async function partyGoalsIn(
  snapshot: Snapshot,
  accounts: AccountScope,
  { rewards, calendar }: Pick<ReplayListing, 'rewards' | 'calendar'>,
): Promise<ReadonlyMap<string, number>> {
  if (rewards.party === null) return new Map();
  const goals = findGoalSlots(await countVotesBySlot(snapshot, accounts, slotMs), rewards.party, calendar);
  const slots = goals.map(({ slot }) => slot);
  const times: number[] = [];
  for await (const at of voteTimesIn(snapshot, accounts, slots, slotMs)) times.push(at);
  return goalTimes(goals, times);
}

/** Number of entries and their credits. */
export interface EntrySum {
  readonly entries: number;
  readonly credits: number;
}

export const noEntries: EntrySum = { entries: 0, credits: 0 };

/** Adds the entries to the sums by cause, and returns their credits. */
export function addEntries(
  sums: Map<Cause, EntrySum>,
  added: readonly { readonly cause: Cause; readonly credits: number }[],
): number {
  let total = 0;
  for (const { cause, credits } of added) {
    const sum = sums.get(cause) ?? noEntries;
    sums.set(cause, { entries: sum.entries + 1, credits: sum.credits + credits });
    total += credits;
  }
  return total;
}
