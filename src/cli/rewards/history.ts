import type { CommunityId } from '../../core/ledger/account.ts';
import type { Cause } from '../../core/ledger/entry.ts';
import { countMembers, type MemberLedger, memberLedgers } from '../../core/store/member-ledgers.ts';
import { accessTo, type Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { outagesIn } from '../../core/store/snapshots/vote-times.ts';
import { commonGoalsOf } from '../../core/store/sql-module.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { listingsByName } from '../../core/tally/replay-listings.ts';
import { goalTimesIn } from '../../features/backfill/goal-times.ts';
import { storedFeatures } from '../../features/index.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { startProgress } from '../../platform/terminal/progress.ts';
import type { Terminal } from '../../platform/terminal/terminal.ts';

export const commonGoals = commonGoalsOf(storedFeatures.hooks);

/**
 * The history of a community, to replay its votes under rules.
 * @param stopped the message if the process is stopped meanwhile, with which `members` rejects
 */
export async function readHistory(
  snapshot: Snapshot,
  { listings, communityId }: { readonly listings: readonly ListingContext[]; readonly communityId: CommunityId },
  { terminal, stopped }: { readonly terminal: Terminal; readonly stopped: string },
) {
  const outages = await outagesIn(snapshot);
  const goalAt = commonGoals?.goalAt;
  const listingOf = listingsByName(listings, outages);
  const goals = await goalTimesIn(snapshot, communityId, (at) => goalAt?.(listingOf(null), at));
  const access = accessTo(snapshot);
  const total = await countMembers(access, communityId);

  /** In the order of their ids. */
  async function* members(): AsyncGenerator<MemberLedger> {
    const progress = startProgress(terminal, { unit: 'members', total });
    let done = 0;
    try {
      for await (const member of memberLedgers(access, communityId)) {
        if (terminal.stop.aborted) throw new TallyhookError('stopped', stopped);
        yield member;
        done += 1;
        progress.advanceTo(done);
      }
    } finally {
      progress.end();
    }
  }

  return { outages, context: { listingOf, goalAt, goals }, members: members() };
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
