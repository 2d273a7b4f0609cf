import type { AccountScope } from '../../core/ledger/account-id.ts';
import type { Cause } from '../../core/ledger/entry.ts';
import { isPseudonym } from '../../core/ledger/pseudonym.ts';
import { partyPeriod } from '../../core/rewards/party.ts';
import type { ReplayListing } from '../../core/rewards/replay-votes.ts';
import { readMemberState } from '../../core/store/backfill/member-state.ts';
import { countMembers, memberLedgers } from '../../core/store/snapshots/member-ledgers.ts';
import { outagesIn } from '../../core/store/snapshots/outages.ts';
import { partiesIn } from '../../core/store/snapshots/parties.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { type BackfillRules, communityOf, createBackfillPlanner, owedOf } from '../../core/tally/backfill.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { partyKey } from '../../core/tally/party.ts';
import { listingsByName } from '../../core/tally/replay-listings.ts';
import { partyGoalsIn } from './party-goals.ts';
import { createProgress } from './progress.ts';
import type { EntrySum } from './simulation.ts';

/** What members are paid, or would be. */
export interface BackfillTotals {
  readonly members: number;
  readonly roles: number;
  readonly causes: ReadonlyMap<Cause, EntrySum>;
}

/** What all members are owed at the time of the snapshot. */
export interface PlannedBackfill {
  readonly rules: BackfillRules;
  readonly totals: BackfillTotals;
  /** The members who are owed something, in the order of their ids. */
  readonly userIds: readonly string[];
}

/** Adds up what members are paid. */
export function createBackfillTotals() {
  const causes = new Map<Cause, EntrySum>();
  let members = 0;
  let roleCount = 0;
  return {
    add(entries: readonly { readonly cause: Cause; readonly credits: number }[], roles: number): void {
      if (entries.length > 0 || roles > 0) members += 1;
      roleCount += roles;
      for (const { cause, credits } of entries) {
        const sum = causes.get(cause) ?? { entries: 0, credits: 0 };
        causes.set(cause, { entries: sum.entries + 1, credits: sum.credits + credits });
      }
    },
    totals: (): BackfillTotals => ({ members, roles: roleCount, causes }),
  };
}

/** Those of several communities; a member of two counts twice, as two accounts. */
export function addTotals(totals: readonly BackfillTotals[]): BackfillTotals {
  const causes = new Map<Cause, EntrySum>();
  for (const [cause, { entries, credits }] of totals.flatMap((each) => [...each.causes])) {
    const sum = causes.get(cause) ?? { entries: 0, credits: 0 };
    causes.set(cause, { entries: sum.entries + entries, credits: sum.credits + credits });
  }
  const sumOf = (name: 'members' | 'roles') => totals.reduce((sum, each) => sum + each[name], 0);
  return { members: sumOf('members'), roles: sumOf('roles'), causes };
}

/** @param listings of one community @param now ms since the epoch @param onMember called for each member; may throw to stop */
export async function planAll(
  snapshot: Snapshot,
  listings: readonly ListingContext[],
  { now, onMember, onProgress }: { now: number; onMember: () => void; onProgress: (line: string) => void },
): Promise<PlannedBackfill> {
  const { accounts } = communityOf({ listings });
  const outages = await outagesIn(snapshot);
  const partyGoals = await pastPartyGoals(snapshot, accounts, listingsByName(listings, outages)(null), now);
  const rules = { listings, partyGoals };
  const planner = createBackfillPlanner(rules, outages);
  const progress = createProgress(await countMembers(snapshot, accounts), onProgress);
  const totals = createBackfillTotals();
  const userIds: string[] = [];
  for await (const { userId, entries } of memberLedgers(snapshot, accounts)) {
    onMember();
    // Nobody can use what is paid to an account that was forgotten.
    if (isPseudonym(userId)) continue;
    const plan = planner.plan(userId, entries);
    const owed = owedOf(plan, await readMemberState(snapshot.db, snapshot.run, { userId, accounts }, plan));
    if (owed !== null) {
      userIds.push(userId);
      totals.add(owed.entries, owed.grants.length);
    }
    progress.advance();
  }
  return { rules, totals: totals.totals(), userIds };
}

/**
 * The periods of parties that have ended with their goal reached. A period in which votes were counted while the rules
 * were in force has its own result.
 */
async function pastPartyGoals(
  snapshot: Snapshot,
  accounts: AccountScope,
  listing: ReplayListing,
  now: number,
): Promise<BackfillRules['partyGoals']> {
  const { party } = listing.rewards;
  if (party === null) return [];
  const { id: current } = partyPeriod(party.per, listing.calendar.dayAt(now));
  const counted = await partiesIn(snapshot);
  return [...(await partyGoalsIn(snapshot, accounts, listing))].flatMap(([period, reachedAt]) => {
    const result = counted.get(partyKey(accounts, period));
    const at = result === undefined ? reachedAt : result.reachedAt;
    return period === current || at === null ? [] : [[period, at] as const];
  });
}
