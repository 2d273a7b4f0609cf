import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { countedVoteCauses } from '../../ledger/entry.ts';
import { type VotesPerDay, voteDays } from '../../ledger/votes-per-day.ts';
import type { Clock } from '../../platform/clock.ts';
import { hour, minute, second } from '../../platform/durations.ts';
import type { Calendar } from '../../rewards/calendar.ts';
import { calendarOf } from '../../tally/community.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, preparedQuery } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Entries that one query reads: about 2 ms, in which SQLite blocks this thread. */
const rowsPerQuery = 5_000;
/** In every time zone, days begin at a multiple of this (ms). */
const slotMs = 15 * minute;
/** Older entries are counted once. The margin is for entries that are committed late, and for votes that arrive late. */
const recountMs = 1 * hour;
/** While entries are counted, the part of the time that this may take. */
const maxBusyShare = 0.2;

/** A count is used for at least this time (ms). */
const minAgeMs = 2 * second;
/** In the long run, the part of the time that counting may take. */
const maxShare = 0.01;
/** Nobody waits for a longer count (ms) while there is an earlier one. */
const maxWaitMs = 50;
/** No older count is used (ms). */
const maxAgeMs = 10 * minute;

/** Votes by listing and day. Votes without a listing have the name ''. */
class VoteCounts {
  readonly #byListing = new Map<string, Map<number, number>>();

  add(listing: string, day: number, votes: number): void {
    const days = this.#byListing.get(listing) ?? new Map<number, number>();
    days.set(day, (days.get(day) ?? 0) + votes);
    this.#byListing.set(listing, days);
  }

  addAll(other: VoteCounts, firstDay: number): void {
    for (const [listing, days] of other.#byListing) {
      for (const [day, votes] of days) if (day >= firstDay) this.add(listing, day, votes);
    }
  }

  votes(listings: readonly string[] | null, day: number): number {
    const counts =
      listings === null ? [...this.#byListing.values()] : listings.map((name) => this.#byListing.get(name));
    return counts.reduce((sum, days) => sum + (days?.get(day) ?? 0), 0);
  }
}

/**
 * Counts votes by calendar day. Scans the newest entries, in short slices with pauses; an index of their time would cost
 * every vote. All but those of the last hour are counted once and kept in memory.
 *
 * @returns the votes by the calendar of a time zone (IANA name)
 */
export function sqlVotesPerDay(
  db: Kysely<Tables>,
  reading: Connection,
  clock: Clock,
): (timeZone: string) => VotesPerDay {
  const byTimeZone = new Map<string, VotesPerDay>();
  return (timeZone) => {
    const votesPerDay = byTimeZone.get(timeZone) ?? votesPerDayIn(calendarOf({ timeZone }), db, reading, clock);
    byTimeZone.set(timeZone, votesPerDay);
    return votesPerDay;
  };
}

function votesPerDayIn(calendar: Calendar, db: Kysely<Tables>, reading: Connection, clock: Clock): VotesPerDay {
  const count = createVoteCount(db, reading, clock, calendar);
  let latest: (CountResult & { readonly at: number }) | undefined;
  let running: Promise<VoteCounts> | undefined;

  async function run(now: number): Promise<VoteCounts> {
    const at = clock.monotonic();
    try {
      latest = { ...(await count(now)), at };
      return latest.counts;
    } finally {
      running = undefined;
    }
  }

  async function current(now: number): Promise<VoteCounts> {
    const age = latest === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - latest.at;
    if (latest !== undefined && age < Math.max(minAgeMs, latest.repeatMs / maxShare)) return latest.counts;
    running ??= run(now);
    if (latest === undefined || age > maxAgeMs || latest.repeatMs <= maxWaitMs) return running;
    // An error is reported to the next caller who waits for a count.
    running.catch(() => {});
    return latest.counts;
  }

  return async (listings, now) => {
    const counts = await current(now);
    const first = calendar.dayAt(now) - voteDays + 1;
    return Array.from({ length: voteDays }, (_, index) => {
      return { day: first + index, votes: counts.votes(listings, first + index) };
    });
  };
}

interface CountResult {
  readonly counts: VoteCounts;
  /** How long the next count will take, without its pauses (ms). */
  readonly repeatMs: number;
}

/** Each call counts all votes of the period, most of them from memory. Calls must not overlap. */
function createVoteCount(db: Kysely<Tables>, reading: Connection, clock: Clock, calendar: Calendar) {
  const slot = sql<number>`at / ${sql.lit(slotMs)}`;
  const selectSlice = preparedQuery<{ from: number; below: number }>()((placeholder) =>
    db
      .selectFrom(
        db
          .selectFrom('entries')
          .select(['id', 'listing', 'cause', 'at'])
          .where('id', '>=', placeholder('from'))
          .where('id', '<', placeholder('below'))
          .orderBy('id', 'desc')
          .limit(rowsPerQuery)
          .as('newest'),
      )
      .select(({ fn, eb }) => [
        'listing',
        slot.as('slot'),
        fn.countAll<number>().as('entries'),
        fn.count<number>(eb.case().when('cause', 'in', countedVoteCauses.map(literal)).then(1).end()).as('votes'),
        fn.min('id').as('firstId'),
      ])
      .groupBy(['listing', slot]),
  );
  /** The votes of the entries with ids below `keptBelow`, down to the first day. */
  let kept = new VoteCounts();
  let keptBelow = Number.MIN_SAFE_INTEGER;

  return async (now: number): Promise<CountResult> => {
    const firstDay = calendar.dayAt(now) - voteDays + 1;
    const recent = new VoteCounts();
    const settled = new VoteCounts();
    let settledBelow: number | null = null;
    let repeatMs = 0;
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      const startedAt = clock.monotonic();
      const groups = await selectSlice(reading, { from: keptBelow, below });
      const newestSlot = groups.reduce((newest, group) => Math.max(newest, group.slot), Number.NEGATIVE_INFINITY);
      const isSettled = below < Number.MAX_SAFE_INTEGER && (newestSlot + 1) * slotMs <= now - recountMs;
      if (isSettled) settledBelow ??= below;
      const counts = settledBelow === null ? recent : settled;
      for (const { listing, slot, votes } of groups) counts.add(listing ?? '', calendar.dayAt(slot * slotMs), votes);
      const entries = groups.reduce((sum, group) => sum + group.entries, 0);
      below = groups.reduce((first, { firstId }) => Math.min(first, firstId), below);
      const tookMs = clock.monotonic() - startedAt;
      if (settledBelow === null) repeatMs += tookMs;
      // Ids grow with time, except for some entries of processes side by side.
      if (entries < rowsPerQuery || calendar.dayAt(newestSlot * slotMs) < firstDay) break;
      await (tookMs > 0 ? clock.sleep(tookMs / maxBusyShare - tookMs) : nextTurn());
    }
    const before = kept;
    if (settledBelow !== null) {
      kept = new VoteCounts();
      kept.addAll(before, firstDay);
      kept.addAll(settled, firstDay);
      keptBelow = settledBelow;
    }
    recent.addAll(kept, firstDay);
    return { counts: recent, repeatMs };
  };
}
