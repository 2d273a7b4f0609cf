import { numberOf, objectOf } from '@tallyhook/platform/json';
import { type Markup, timestamp } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { announcementSwitch } from '../../core/announcements/announcement-style.ts';
import { periodOf, timesOf } from '../../core/rewards/calendar.ts';
import { choicesOf, type SettingSpec, setting, showChoice } from '../../core/settings/setting-spec.ts';
import { wholeNumber } from '../../core/settings/value-schemas.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { Texts } from '../../texts/texts.ts';
import { maxWinners, raffleAnnounced, raffleOf, raffleRules } from './rules.ts';

const periods = ['week', 'month'] as const;
const maxTickets = 100_000;

export const raffle = setting({
  path: 'rewards.raffle',
  description:
    'Members with votes win credits by chance, once in each period; [anybody can check the draw](raffles.md). Listings of one guild share it.',
  schema: z.strictObject({
    per: z
      .enum(periods, 'it must be "week" or "month"')
      .describe('The period: a calendar `week` or `month`, in `timeZone`.'),
    winners: wholeNumber(1, maxWinners).describe(`How many members win, at most ${maxWinners}.`),
    credits: wholeNumber(1, 1_000_000).describe('For each winner.'),
    ticketsPerVote: wholeNumber(1, 1_000).default(1).describe('Tickets for each counted vote of the period.'),
    maxTickets: wholeNumber(1, maxTickets).default(maxTickets).describe('No member has more.'),
  }),
  isShared: true,
  isNeeded: true,
  canBeOff: true,
  inFile: ({ rewards }) => raffleRules.in(rewards),
  rules: (rules) => raffleRules.as(rules ?? null),
  show(value, texts) {
    const { per, winners, credits } = objectOf(value);
    const { text } = texts;
    return text('setup.values.raffle', {
      credits: text('parts.credits', { count: numberOf(credits) }),
      members: text('parts.members', { count: numberOf(winners) }),
      per: showChoice(per, texts),
    });
  },
  form: 'raffle',
  fields: [
    { name: 'winners', kind: 'number', part: 'winners', isRequiredPart: true, hint: 'off' },
    { name: 'raffleCredits', kind: 'number', part: 'credits' },
    { name: 'per', kind: 'radios', part: 'per', preset: 'week', choices: choicesOf(...periods) },
    { name: 'ticketsPerVote', kind: 'number', part: 'ticketsPerVote' },
    { name: 'maxTickets', kind: 'number', part: 'maxTickets' },
  ],
});

/** A line with what the raffle pays, and until when votes count; none without a raffle. @param now ms since the epoch */
export function currentRaffle(
  listings: readonly Pick<ListingContext, 'rewards'>[],
  timeZone: string,
  { text }: Texts,
  now: number,
): readonly Markup[] {
  const rules = raffleOf(listings);
  if (rules === null) return [];
  const calendar = calendarOf({ timeZone });
  const { endsAt } = timesOf(periodOf(rules.per, calendar.dayAt(now)), calendar);
  const credits = text('parts.credits', { count: rules.credits });
  return [text('raffle.current', { count: rules.winners, credits, time: timestamp(endsAt, 'R') })];
}

export const announced = {
  ...announcementSwitch(
    'raffle',
    'Announce when a raffle begins, with the digest of its seed, and who has won. Listings of one guild share it: `false` in one of them suffices.',
  ),
  event: raffleAnnounced,
} as const satisfies SettingSpec;
