import type { Config } from '../../../config/schema.ts';
import { accountIdOf, type CommunityId } from '../../core/ledger/account.ts';
import type { Cause } from '../../core/ledger/entry.ts';
import { isPseudonym } from '../../core/ledger/pseudonym.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import type { ReplayContext } from '../../core/rewards/replay-votes.ts';
import { accessTo, type Snapshot } from '../../core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { type BackfillRules, communityOf, createBackfillPlanner, owedOf } from '../../features/backfill/planner.ts';
import { readMemberState } from '../../features/backfill/store.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Terminal } from '../../platform/terminal/terminal.ts';
import { communitiesInEffect } from '../stored-settings.ts';
import { addEntries, commonGoals, type EntrySum, readHistory } from './history.ts';

/** What members are paid, or would be. A member of two communities counts twice, as two accounts. */
export class BackfillTotals {
  members = 0;
  roles = 0;
  readonly causes = new Map<Cause, EntrySum>();

  addMember(entries: readonly { readonly cause: Cause; readonly credits: number }[], roles: number): void {
    if (entries.length > 0 || roles > 0) this.members += 1;
    this.roles += roles;
    addEntries(this.causes, entries);
  }
}

/** What the members of a community are owed at the time of the snapshot. */
export interface PlannedBackfill {
  readonly rules: BackfillRules;
  /** The members who are owed something, in the order of their ids. */
  readonly userIds: readonly string[];
}

/**
 * Plans what all members are owed.
 * @param totals to which it is added
 */
export async function planAll(
  snapshot: Snapshot,
  config: Pick<Config, 'base' | 'listings'>,
  totals: BackfillTotals,
  terminal: Terminal,
): Promise<readonly PlannedBackfill[]> {
  const planned: PlannedBackfill[] = [];
  for (const listings of await communitiesInEffect(snapshot, config)) {
    const named = listings.filter(({ implied }) => !implied).map(withoutSecrets);
    if (named.length > 0) planned.push(await planCommunity(snapshot, named, totals, terminal));
  }
  return planned;
}

async function planCommunity(
  snapshot: Snapshot,
  listings: readonly ListingContext[],
  totals: BackfillTotals,
  terminal: Terminal,
): Promise<PlannedBackfill> {
  const { id: communityId } = communityOf({ listings });
  const stopped = 'Stopped. Nothing was paid.';
  const history = await readHistory(snapshot, { listings, communityId }, { terminal, stopped });
  const rules = { listings, goals: await pastGoals(snapshot, communityId, history.context) };
  const planner = createBackfillPlanner(rules, history.outages, history.context.goalAt);
  const access = accessTo(snapshot);
  const userIds: string[] = [];
  for await (const { userId, entries } of history.members) {
    // Nobody can use what is paid to an account that was forgotten.
    if (isPseudonym(userId)) continue;
    const plan = planner.plan(userId, entries);
    const owed = owedOf(plan, await readMemberState(access, accountIdOf(communityId, userId), plan, commonGoals));
    if (owed === null) continue;
    userIds.push(userId);
    totals.addMember(owed.entries, owed.grants.length);
  }
  return { rules, userIds };
}

/**
 * The goals that were reached, of periods that have ended. One for which votes were counted while it was in force has its
 * own result.
 */
async function pastGoals(
  snapshot: Snapshot,
  communityId: CommunityId,
  { listingOf, goals }: Pick<ReplayContext, 'listingOf' | 'goals'>,
): Promise<BackfillRules['goals']> {
  const current = commonGoals?.goalAt(listingOf(null), systemClock.now())?.id;
  const counted = await commonGoals?.reached(accessTo(snapshot), communityId);
  return [...goals].flatMap(([id, reachedAt]) => {
    const result = counted?.get(id);
    const at = result === undefined ? reachedAt : result;
    return id === current || at === null ? [] : [[id, at] as const];
  });
}
