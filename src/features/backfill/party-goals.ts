import type { Calendar } from '../../core/rewards/calendar.ts';
import { type PartyProgress, partyPeriod } from '../../core/rewards/party.ts';
import type { PartyRules } from '../../core/rewards/rules.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { minute } from '../../platform/durations.ts';

/*
 * The votes that reached the goals of past periods. Millions of votes are first counted in slots of a quarter of an
 * hour, in which calendar days begin in every time zone; then only the votes of one slot per period are needed.
 */

/** Length of a slot (ms). */
export const slotMs = 15 * minute;

/** Where the goal of a period was reached. */
export interface GoalSlot {
  readonly period: string;
  /** Number of the slot: slots since 1970. */
  readonly slot: number;
  /** Position of the vote that reached the goal among the votes of the slot, by their time, from 0. */
  readonly index: number;
}

/** The slots in which goals were reached. @param counts counted votes by slot, in ascending order of the slots */
export function findGoalSlots(
  counts: Iterable<{ readonly slot: number; readonly votes: number }>,
  { goal, per }: Pick<PartyRules, 'goal' | 'per'>,
  calendar: Calendar,
): GoalSlot[] {
  const totals = new Map<string, number>();
  const found: GoalSlot[] = [];
  for (const { slot, votes } of counts) {
    const { id: period } = partyPeriod(per, calendar.dayAt(slot * slotMs));
    const before = totals.get(period) ?? 0;
    totals.set(period, before + votes);
    if (before < goal && before + votes >= goal) found.push({ period, slot, index: goal - before - 1 });
  }
  return found;
}

/**
 * When the goals were reached (ms since the epoch), by the ID of the period.
 * @param times the times of all counted votes in these slots, in any order
 */
export function goalTimes(slots: readonly GoalSlot[], times: Iterable<number>): Map<string, number> {
  const bySlot = new Map(slots.map(({ slot }) => [slot, [] as number[]]));
  for (const at of times) bySlot.get(Math.floor(at / slotMs))?.push(at);
  const sorted = new Map([...bySlot].map(([slot, list]) => [slot, list.sort((one, other) => one - other)]));
  return new Map(
    slots.flatMap(({ period, slot, index }) => {
      const at = sorted.get(slot)?.[index];
      return at === undefined ? [] : [[period, at] as const];
    }),
  );
}

/** The progress of all parties for which votes were counted, by the ID of their period. */
export async function partiesIn({ db, run }: Snapshot): Promise<ReadonlyMap<string, PartyProgress>> {
  const rows = await run(db.selectFrom('parties').selectAll());
  return new Map(rows.map(({ period, votes, reached_at: reachedAt }) => [period, { votes, reachedAt }]));
}
