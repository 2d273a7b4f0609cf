import { listOf, numberOf } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import {
  escapeInline,
  escapeName,
  joined,
  type Markup,
  roleMention,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { announcementSwitch } from '../../core/announcements/announcement-style.ts';
import { leaderboardScores } from '../../core/ledger/standing.ts';
import { periodOf, timesOf } from '../../core/rewards/calendar.ts';
import { maxVotes } from '../../core/settings/reward-settings.ts';
import { type SettingSpec, setting } from '../../core/settings/setting-spec.ts';
import {
  atMost,
  breaks,
  credits,
  ifValid,
  noConflicts,
  roleId,
  rule,
  wholeNumber,
} from '../../core/settings/value-schemas.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { Texts } from '../../texts/texts.ts';
import { boardName, type PlacePrize, type PrizeRules, prizeRules, prizesAnnounced, prizesOf } from './rules.ts';

const maxPlace = 1_000;
/** Ranges of places of a board. */
const maxRanges = 25;

const placesError = breaks(rule('places'), 'it must be an object with "from", and "credits", a "role" or both');

const range = z
  .strictObject(
    {
      from: wholeNumber(1, maxPlace).describe('The first place that wins it, counted from 1.'),
      to: wholeNumber(1, maxPlace).optional().describe('The last place that wins it. `from` if it is left out.'),
      credits: credits.default(0).describe('Paid to each member on these places.'),
      role: roleId.optional().describe('Id of a role that each of them holds until the next settlement.'),
    },
    placesError,
  )
  .refine(({ from, to }) => to === undefined || from <= to, {
    ...breaks(rule('places'), 'it must not be less than "from"'),
    path: ['to'],
  })
  .refine((each) => each.credits > 0 || each.role !== undefined, placesError)
  .transform(
    ({ from, to, credits: paid, role }): PlacePrize => ({ from, to: to ?? from, credits: paid, role: role ?? null }),
  );

const noOverlaps = noConflicts<PlacePrize>(
  (one, other) => one.from <= other.to && other.from <= one.to,
  () => ({ path: [], message: 'an earlier range has some of these places', rule: rule('overlappingPlaces') }),
);

const prize = z.strictObject({
  per: z
    .enum(['week', 'month'], 'it must be "week" or "month"')
    .describe('The period: a calendar `week` or `month`, in `timeZone`.'),
  by: z
    .enum(leaderboardScores, `it must be one of ${leaderboardScores.join(', ')}`)
    .describe(
      'What the places are ranked by: the counted `votes` of the period, the `credits` that they have earned, or the days of the `streak` with which it ends.',
    ),
  places: atMost(range, maxRanges, 'ranges')
    .min(1, breaks(rule('places'), 'it must have at least one range of places'))
    .superRefine(noOverlaps, ifValid)
    .describe('What the members on these places win. Equal scores share the better place.'),
  minVotes: wholeNumber(1, maxVotes)
    .default(1)
    .describe('Counted votes of the period without which a member has no place.'),
});

const noEqualBoards = noConflicts<PrizeRules>(
  (one, other) => boardName(one) === boardName(other),
  () => ({ path: ['by'], message: 'an earlier one is for the same period and scores', rule: rule('sameBoard') }),
);

export const prizes = setting({
  path: 'rewards.prizes',
  description:
    'Credits and roles for the best places of a week or month, settled an hour after its end. Listings of one guild share them.',
  schema: z.array(prize).superRefine(noEqualBoards, ifValid),
  isShared: true,
  canBeOff: true,
  inFile: ({ rewards }) =>
    prizeRules.in(rewards).map(({ places, ...board }) => ({
      ...board,
      places: places.map(({ from, to, credits: paid, role }) => ({
        from,
        ...(to !== from && { to }),
        credits: paid,
        ...(role !== null && { role }),
      })),
    })),
  rules: (all) => prizeRules.as(all ?? []),
  givenRoles: (value) =>
    listOf(value)
      .flatMap(({ places }) => listOf(places))
      .map((entry) => ({ role: entry['role'], entry })),
  showEntry: showPrize,
});

/** The name of a board: "Votes of a month". A part of a value that is none is of the first board. */
export function showBoard(per: unknown, by: unknown, { text }: Pick<Texts, 'text'>): string {
  const score = leaderboardScores.find((each) => each === by) ?? 'votes';
  return text(`prizes.boards.${score}.${per === 'week' ? 'week' : 'month'}`);
}

/** An entry in the words of `/setup`. */
export function showPrize(entry: Readonly<Record<string, unknown>>, texts: Texts): Markup {
  const board = escapeName(showBoard(entry['per'], entry['by'], texts));
  return texts.text('setup.values.prize', { board, places: showPlaces(entry, texts) });
}

/** The winnings of an entry's places: "#1: 1,000 credits, #2–10: 200 credits". */
export function showPlaces({ places }: Readonly<Record<string, unknown>>, texts: Texts): Markup {
  const ranges = listOf(places).map(({ from, to = from, credits: paid, role }) => {
    const [first, last] = [texts.number(numberOf(from)), texts.number(numberOf(to))];
    return texts.text('setup.values.place', {
      place: escapeInline(first === last ? first : `${first}–${last}`),
      reward: showReward({ credits: numberOf(paid), role }, texts),
    });
  });
  return texts.list(ranges);
}

/** A line for each board: what its places win, and until when votes count. @param now ms since the epoch */
export function currentPrizes(
  listings: readonly Pick<ListingContext, 'rewards'>[],
  timeZone: string,
  texts: Texts,
  now: number,
): readonly Markup[] {
  const calendar = calendarOf({ timeZone });
  return prizesOf(listings).map((board) => {
    const { endsAt } = timesOf(periodOf(board.per, calendar.dayAt(now)), calendar);
    return texts.text('prizes.current', { prize: showPrize({ ...board }, texts), time: timestamp(endsAt, 'R') });
  });
}

/** The winnings of a place: "200 credits + @Champion". @param role the id; anything else for none */
export function showReward(
  { credits: paid, role }: { readonly credits: number; readonly role: unknown },
  texts: Texts,
): Markup {
  const shown = paid > 0 ? texts.text('parts.credits', { count: paid }) : null;
  return joined([shown, isSnowflake(role) ? roleMention(role) : null], ' + ');
}

export const announced = {
  ...announcementSwitch(
    'prizes',
    'Announce who has won prizes. Listings of one guild share it: `false` in one of them suffices.',
  ),
  event: prizesAnnounced,
} as const satisfies SettingSpec;
