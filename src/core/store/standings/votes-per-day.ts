import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import type { Connection } from '@tallyhook/platform/database/dialect';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { type Kysely, sql } from 'kysely';
import { countedVoteCauses } from '../../ledger/entry.ts';
import { type CountRecordedVotes, type VotesPerDay, voteDays } from '../../ledger/votes-per-day.ts';
import { calendarOf } from '../../tally/community.ts';
import { slotMs, type VoteCount } from '../counters/counters.ts';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Entries that one query reads: about 2 ms, in which SQLite blocks this thread. */
const rowsPerQuery = 5_000;
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
/** How often to try again if entries are counted meanwhile. */
const maxAttempts = 5;
/** No older count is used (ms). */
const maxAgeMs = 10 * minute;

/** Votes by listing and slot. Votes without a listing have the name ''. */
class VoteCounts {
  readonly #byListing = new Map<string, Map<number, number>>();

  add(listing: string, slot: number, votes: number): void {
    const slots = this.#byListing.get(listing) ?? new Map<number, number>();
    slots.set(slot, (slots.get(slot) ?? 0) + votes);
    this.#byListing.set(listing, slots);
  }

  addAll(other: VoteCounts, firstSlot: number): void {
    for (const { listing, slot, votes } of other.of(null)) if (slot >= firstSlot) this.add(listing, slot, votes);
  }

  /** @param listings null for all */
  *of(listings: readonly string[] | null): Generator<VoteCount> {
    for (const listing of listings ?? this.#byListing.keys()) {
      for (const [slot, votes] of this.#byListing.get(listing) ?? []) yield { listing, slot, votes };
    }
  }
}

/**
 * Counts votes by calendar day. Those of counted entries are read by listing. The others, the newest ones, are scanned
 * once for all listings and time zones, in short slices with pauses; an index of their time would cost every vote. All
 * but those of the last hour are kept in memory, in case that the counters do not advance.
 *
 * @returns the votes by the calendar of a time zone (IANA name)
 */
export function sqlVoteCounts(db: Kysely<Tables>, reading: Connection, clock: Clock) {
  const count = createVoteCount(db, reading, clock);
  const readCountedVotes = createCountedVotes(db, reading);
  let latest: (CountResult & { readonly at: number }) | undefined;
  let running: Promise<CountResult> | undefined;

  async function runCount(now: number, countedBelow: number): Promise<CountResult> {
    const at = clock.monotonic();
    try {
      latest = { ...(await count(now, countedBelow)), at };
      return latest;
    } finally {
      running = undefined;
    }
  }

  /** The votes of the entries from an id on. */
  async function newest(now: number, countedBelow: number): Promise<CountResult> {
    const age = latest === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - latest.at;
    const isCurrent = latest?.countedBelow === countedBelow;
    if (latest !== undefined && isCurrent && age < Math.max(minAgeMs, latest.repeatMs / maxShare)) return latest;
    running ??= runCount(now, countedBelow);
    if (latest === undefined || !isCurrent || age > maxAgeMs || latest.repeatMs <= maxWaitMs) return running;
    // An error is reported to the next caller who waits for a count.
    running.catch(() => {});
    return latest;
  }

  /** The votes since a slot, each counted once. */
  async function votesSince(listings: readonly string[] | null, firstSlot: number, now: number) {
    for (let attempt = 1; ; attempt += 1) {
      const counted = await readCountedVotes(listings, firstSlot);
      const { counts, countedBelow } = await newest(now, counted.below);
      // Otherwise the counters have advanced meanwhile.
      if (countedBelow !== counted.below && attempt < maxAttempts) continue;
      return [...counted.votes, ...counts.of(listings)];
    }
  }

  return {
    perDayIn(timeZone: string): VotesPerDay {
      const calendar = calendarOf({ timeZone });
      return async (listings, now) => {
        const first = calendar.dayAt(now) - voteDays + 1;
        const days = new Map<number, number>();
        for (const { slot, votes } of await votesSince(listings, firstSlotAt(now), now)) {
          const day = calendar.dayAt(slot * slotMs);
          days.set(day, (days.get(day) ?? 0) + votes);
        }
        return Array.from({ length: voteDays }, (_, index) => {
          return { day: first + index, votes: days.get(first + index) ?? 0 };
        });
      };
    },
    recordedIn(timeZone: string): CountRecordedVotes {
      const calendar = calendarOf({ timeZone });
      return async (listings, now) => {
        const local = new Date(calendar.toLocal(now));
        const monthStart = calendar.fromLocal(Date.UTC(local.getUTCFullYear(), local.getUTCMonth()));
        const recorded = { month: 0, total: 0 };
        for (const { slot, votes } of await votesSince(listings, 0, now)) {
          recorded.total += votes;
          if (slot * slotMs >= monthStart) recorded.month += votes;
        }
        return recorded;
      };
    },
  };
}

/** A slot before the first day that is shown, in every time zone. */
function firstSlotAt(now: number): number {
  return Math.floor((now - (voteDays + 1) * day) / slotMs);
}

/** Reads the votes of counted entries, and the id below which entries are counted, at one moment. */
function createCountedVotes(db: Kysely<Tables>, reading: Connection) {
  const below = db
    .selectFrom('counters')
    .select(({ lit }) => ['value as slot', lit(null).$castTo<number | null>().as('votes')])
    .where('name', '=', 'entries below');
  const votesSince = (firstSlot: number) =>
    db
      .selectFrom('vote_counts')
      .select(['slot', ({ fn }) => sql<number | null>`cast(${fn.sum('votes')} as bigint)`.as('votes')])
      .where('slot', '>=', firstSlot)
      .groupBy('slot');
  const read = preparedQuery<{ firstSlot: number }>()((placeholder) =>
    below.unionAll(votesSince(placeholder('firstSlot'))),
  );
  const readOf = preparedQuery<{ firstSlot: number; listings: readonly string[] }>()((placeholder) => {
    const listings = placeholder('listings');
    return listings.length === 0
      ? below
      : below.unionAll(votesSince(placeholder('firstSlot')).where('listing', 'in', listings));
  });

  return async (listings: readonly string[] | null, firstSlot: number) => {
    const rows = await (listings === null ? read(reading, { firstSlot }) : readOf(reading, { firstSlot, listings }));
    return {
      below: rows.find(({ votes }) => votes === null)?.slot ?? 0,
      votes: rows.flatMap(({ slot, votes }) => (votes === null ? [] : [{ slot, votes }])),
    };
  };
}

interface CountResult {
  readonly counts: VoteCounts;
  /** The id from which entries were counted. */
  readonly countedBelow: number;
  /** How long the next count will take, without its pauses (ms). */
  readonly repeatMs: number;
}

/** Each call counts all votes from an id on, most of them from memory. Calls must not overlap. */
function createVoteCount(db: Kysely<Tables>, reading: Connection, clock: Clock) {
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
  /** The votes of the entries with ids from `keptFrom` and below `keptBelow`. */
  let kept = new VoteCounts();
  let keptFrom = 0;
  let keptBelow = 0;

  return async (now: number, countedBelow: number): Promise<CountResult> => {
    if (keptFrom !== countedBelow) {
      kept = new VoteCounts();
      keptFrom = countedBelow;
      keptBelow = countedBelow;
    }
    const firstSlot = firstSlotAt(now);
    const recent = new VoteCounts();
    const settled = new VoteCounts();
    let settledBelow: number | null = null;
    let repeatMs = 0;
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      const startedAt = clock.monotonic();
      const groups = await selectSlice(reading, { from: keptBelow, below });
      const newestSlot = groups.reduce((latest, group) => Math.max(latest, group.slot), Number.NEGATIVE_INFINITY);
      const isSettled = below < Number.MAX_SAFE_INTEGER && (newestSlot + 1) * slotMs <= now - recountMs;
      if (isSettled) settledBelow ??= below;
      const counts = settledBelow === null ? recent : settled;
      for (const group of groups) counts.add(group.listing ?? '', group.slot, group.votes);
      const entries = groups.reduce((sum, group) => sum + group.entries, 0);
      below = groups.reduce((first, { firstId }) => Math.min(first, firstId), below);
      const tookMs = clock.monotonic() - startedAt;
      if (settledBelow === null) repeatMs += tookMs;
      // Ids grow with time, except for some entries of processes side by side.
      if (entries < rowsPerQuery || newestSlot < firstSlot) break;
      await (tookMs > 0 ? clock.sleep(tookMs / maxBusyShare - tookMs) : nextTurn());
    }
    const before = kept;
    if (settledBelow !== null) {
      kept = new VoteCounts();
      kept.addAll(before, firstSlot);
      kept.addAll(settled, firstSlot);
      keptBelow = settledBelow;
    }
    recent.addAll(kept, firstSlot);
    return { counts: recent, countedBelow, repeatMs };
  };
}
