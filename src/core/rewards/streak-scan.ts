/*
 * Two automata that read a member's calendar in order, one day at a time. They keep the last seven days as bits (bit n:
 * n days ago), so they can stop at any day and continue from there. They change their state in place, because a decision
 * reads up to 128 days.
 */

/** A day of a member's calendar. `forgiven`: no counted vote, but receiving was down, so it is not missed. */
export type DayStatus = 'counted' | 'forgiven' | 'missed';

/** A streak up to a day. */
export interface StreakScan {
  /** Counted days of the streak; 0 if there is none. */
  days: number;
  /** Missed days of the streak within the last seven days (bits). */
  missed: number;
}

/** The rewarded steps of streaks up to a day. */
export interface StepScan extends StreakScan {
  /** Counted days towards the next step within the last seven days (bits). `days` and `missed` are those of the step. */
  counted: number;
  /** Completed steps. */
  steps: number;
}

const sevenDays = 0b111_1111;

/** Continues a streak with the next day. A missed day in excess of `forgive` within seven ends it; nothing is left of it. */
export function scanStreakDay(scan: StreakScan, status: DayStatus, forgive: number): void {
  scan.missed = (scan.missed << 1) & sevenDays;
  if (status === 'counted') scan.days += 1;
  if (status !== 'missed' || scan.days === 0) return;
  scan.missed |= 1;
  if (countBits(scan.missed) <= forgive) return;
  scan.days = 0;
  scan.missed = 0;
}

/**
 * Continues with the next day, and returns whether it completes a step. A step is `every` successive counted days with
 * at most `forgive` missed ones in any seven days between its first and its last; no day belongs to two steps. Each step
 * is completed as early as possible, which gives the most steps.
 *
 * A missed day too many removes only the days up to the oldest missed one from the step, unlike from the streak that
 * members see. Therefore another counted day never makes steps fewer, and the number depends only on the set of days.
 */
export function scanStepDay(scan: StepScan, status: DayStatus, every: number, forgive: number): boolean {
  scan.missed = (scan.missed << 1) & sevenDays;
  scan.counted = (scan.counted << 1) & sevenDays;
  if (status === 'counted') {
    scan.days += 1;
    scan.counted |= 1;
    if (scan.days < every) return false;
    scan.steps += 1;
    scan.days = scan.missed = scan.counted = 0;
    return true;
  }
  if (status === 'missed' && scan.days > 0) {
    scan.missed |= 1;
    if (countBits(scan.missed) > forgive) startAfterOldestMissed(scan);
  }
  return false;
}

function startAfterOldestMissed(scan: StepScan): void {
  scan.counted &= bitsBelowHighest(scan.missed);
  scan.missed &= bitsBelowHighest(scan.counted);
  scan.days = countBits(scan.counted);
}

/** All bits that are lower than the highest one that is set; 0 for 0. */
function bitsBelowHighest(bits: number): number {
  return bits === 0 ? 0 : (1 << (31 - Math.clz32(bits))) - 1;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
