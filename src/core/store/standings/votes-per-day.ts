import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import type { Connection } from '@tallyhook/platform/database/dialect';
import { preparedQuery } from '@tallyhook/platform/database/prepared-query';
import { day as dayMs, hour, second } from '@tallyhook/platform/durations';
import { type Kysely, sql } from 'kysely';
import type { Calendar } from '../../rewards/calendar.ts';
import { calendarOf } from '../../tally/community.ts';
import { countRows, slotMs, type VoteCount } from '../counters.ts';
import type { Tables } from '../tables.ts';

/** The counted votes of a calendar day of a community (days since 1970-01-01). */
export interface DayVotes {
  readonly day: number;
  readonly votes: number;
}

/** How many days {@link VotesPerDay} returns, today included. */
const voteDays = 30;

/** How many votes of listings were counted: since the month began, by the calendar of their community, and in all. */
export interface RecordedVotes {
  readonly month: number;
  readonly total: number;
}

/** The counted votes of listings, at most as old as {@link VotesPerDay}. Rejects with the database driver's error. */
export type CountRecordedVotes = (listings: readonly string[], now: number) => Promise<RecordedVotes>;

/**
 * The counted votes of the last 30 calendar days by the time of the vote, oldest day first, also days without votes.
 * At most a few seconds old; in a very large community, some minutes. Rejects with the database driver's error.
 *
 * @param listings the names of the listings whose votes are added up; null for all
 * @param now ms since the epoch
 */
export type VotesPerDay = (listings: readonly string[] | null, now: number) => Promise<readonly DayVotes[]>;

/** The votes of each day ({@link VotesPerDay}), and of all these days by the hour of the day: 24 numbers. */
export type VoteActivity = (
  listings: readonly string[] | null,
  now: number,
) => Promise<{ readonly days: readonly DayVotes[]; readonly hours: readonly number[] }>;

/** A count of the newest votes is used for at least this time (ms), and for this many times as long as it took. */
const minReuseMs = 2 * second;
const reuseFactor = 50;

/** The votes of the entries from an id on, which are not among the stored counts yet. */
interface NewestVotes {
  readonly from: number;
  readonly votes: Promise<readonly VoteCount[]>;
  /** Until when they are used (monotonic ms). */
  until: number;
}

/**
 * Counts votes by calendar day: stored counts, and the entries since, which are read once for all listings and time zones
 * (an index of their time would cost every vote). Both have the votes by the calendar of a time zone (IANA name).
 */
export function sqlVoteCounts(db: Kysely<Tables>, reading: Connection, clock: Clock) {
  const readStored = createStoredCounts(db, reading);
  let newest: NewestVotes | undefined;

  async function readNewest(from: number): Promise<readonly VoteCount[]> {
    const votes: VoteCount[] = [];
    for (let next = from; ; await nextTurn()) {
      const range = { from: next, below: Number.MAX_SAFE_INTEGER };
      const counted = await countRows({ db, connection: reading }, 'entries', range);
      if (counted === null) return votes;
      votes.push(...counted.votes);
      next = counted.below;
    }
  }

  function newestFrom(from: number): Promise<readonly VoteCount[]> {
    const startedAt = clock.monotonic();
    if (newest?.from === from && startedAt < newest.until) return newest.votes;
    const started: NewestVotes = { from, votes: readNewest(from), until: Number.POSITIVE_INFINITY };
    newest = started;
    started.votes.then(
      () => {
        const now = clock.monotonic();
        started.until = Math.max(startedAt + minReuseMs, now + reuseFactor * (now - startedAt));
      },
      () => {
        started.until = startedAt;
      },
    );
    return started.votes;
  }

  /** The votes since a slot, each counted once. @param listings null for all */
  async function votesSince(listings: readonly string[] | null, firstSlot: number) {
    const { below, votes } = await readStored(listings, firstSlot);
    const newer = await newestFrom(below);
    return [...votes, ...newer.filter(({ listing }) => listings === null || listings.includes(listing))];
  }

  return {
    perDayIn(timeZone: string): VotesPerDay {
      const calendar = calendarOf({ timeZone });
      return async (listings, now) => {
        const votes = await votesSince(listings, firstSlotAt(now));
        return perDay(votes, calendar, now).days;
      };
    },
    activityIn(timeZone: string): VoteActivity {
      const calendar = calendarOf({ timeZone });
      return async (listings, now) => perDay(await votesSince(listings, firstSlotAt(now)), calendar, now);
    },
    recordedIn(timeZone: string): CountRecordedVotes {
      const calendar = calendarOf({ timeZone });
      return async (listings, now) => {
        const local = new Date(calendar.toLocal(now));
        const monthStart = calendar.fromLocal(Date.UTC(local.getUTCFullYear(), local.getUTCMonth()));
        const recorded = { month: 0, total: 0 };
        for (const { slot, votes } of await votesSince(listings, 0)) {
          recorded.total += votes;
          if (slot * slotMs >= monthStart) recorded.month += votes;
        }
        return recorded;
      };
    },
  };
}

function perDay(all: readonly Omit<VoteCount, 'listing'>[], calendar: Calendar, now: number) {
  const first = calendar.dayAt(now) - voteDays + 1;
  const days = Array.from({ length: voteDays }, (_, index) => ({ day: first + index, votes: 0 }));
  const hours = Array.from({ length: 24 }, () => 0);
  for (const { slot, votes } of all) {
    const day = days[calendar.dayAt(slot * slotMs) - first];
    if (day === undefined) continue;
    day.votes += votes;
    const hourOfDay = Math.floor((calendar.toLocal(slot * slotMs) % dayMs) / hour);
    hours[hourOfDay] = (hours[hourOfDay] ?? 0) + votes;
  }
  return { days, hours };
}

/** A slot before the first day that is shown, in every time zone. */
function firstSlotAt(now: number): number {
  return Math.floor((now - (voteDays + 1) * dayMs) / slotMs);
}

/** Reads the stored counts of votes, and the id below which entries are in them, at one moment. */
function createStoredCounts(db: Kysely<Tables>, reading: Connection) {
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
