import { day as dayMs } from '@tallyhook/platform/durations';
import { type JsonObject, listOf, numberOf, objectOf, textOf, textsOf } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { escapeInline, escapeName, joined, type Markup, roleMention } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import type { Texts } from '../../texts/texts.ts';
import { largestFactor } from '../rewards/decide-vote.ts';
import type { Milestone, Multiplier, Weekday } from '../rewards/rules.ts';
import { setting, showCredits } from './setting-spec.ts';
import { atMost, breaks, credits, ifValid, noConflicts, roleId, rule, time, wholeNumber } from './value-schemas.ts';

export const maxVotes = 1_000_000_000;
/** Largest product of multipliers: a vote then earns at most 1,000,000,000 credits, which both databases can store. */
const maxFactor = 1_000;
const factorError = breaks(rule('factor', { max: 100 }), 'it must be a number greater than 0 and at most 100');

/** The names of the weekdays, from Monday to Sunday. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** A day of the week, in the time zone of the community. @category Start here */
export type WeekdayName = (typeof weekdays)[number];

/** Monday, 1 January 2024 (ms since the epoch). */
const someMonday = 1_704_067_200_000;

export function weekdayName(locale: string, weekday: string): string {
  const index = weekdays.map(String).indexOf(weekday);
  if (index === -1) return weekday;
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(someMonday + index * dayMs);
}

export const vote = setting({
  path: 'rewards.vote',
  description: 'Whole credits per vote, if the delivery contains no number.',
  schema: credits,
  variable: 'CREDITS_PER_VOTE',
  inFile: ({ rewards }) => rewards.base.perVote,
  show: showCredits,
  fields: [{ name: 'vote', kind: 'number' }],
});

export const premium = setting({
  path: 'rewards.premium',
  description: 'Whole credits per purchase and renewal of premium.',
  schema: credits,
  variable: 'CREDITS_PER_PREMIUM',
  inFile: ({ rewards }) => rewards.base.perPremium,
  show: showCredits,
  fields: [{ name: 'premium', kind: 'number' }],
});

export const whenDenied = setting({
  path: 'rewards.whenDenied',
  description: 'Whole credits per vote that the service denies.',
  schema: credits,
  variable: 'CREDITS_WHEN_DENIED',
  inFile: ({ rewards }) => rewards.base.whenDenied,
  show: showCredits,
  fields: [{ name: 'whenDenied', kind: 'number' }],
});

const multiplier = z
  .strictObject({
    factor: z
      .number(factorError)
      .positive(factorError)
      .max(100, factorError)
      .describe('What the credits are multiplied by: greater than 0, at most 100.'),
    days: z
      .array(z.enum(weekdays, `it must be one of ${weekdays.join(', ')}`))
      .min(1, 'it must name at least one weekday; leave it out for all')
      .optional()
      .describe('Weekdays on which it applies, `monday` to `sunday`, in `timeZone`. All if it is left out.'),
    from: time.optional().describe('Time from which it applies.'),
    until: time.optional().describe('Time from which it no longer applies.'),
    role: roleId.optional().describe('It applies to members with this role only.'),
  })
  .refine(({ from, until }) => from === undefined || until === undefined || from < until, {
    error: 'it must be later than "from"',
    path: ['until'],
  })
  .transform(({ factor, days, from, until, role }): Multiplier => {
    const known = days === undefined ? null : [...new Set(days)].map((day) => (weekdays.indexOf(day) + 1) as Weekday);
    return { factor, days: known, from: from ?? null, until: until ?? null, role: role ?? null };
  });

/** An entry in the words of `/setup`. */
export function showMultiplier({ factor, days, from, until, role }: JsonObject, texts: Texts): Markup {
  const { text } = texts;
  const names = textsOf(days).map((day) => escapeName(weekdayName(texts.locale, day)));
  const when = joined(
    [texts.list(names), showWindow([from, until], texts.locale), isSnowflake(role) ? roleMention(role) : null],
    ' · ',
  );
  return text('setup.values.multiplier', {
    factor: numberOf(factor),
    when: when.trim() === '' ? text('setup.values.always') : when,
  });
}

/** A time from one to another, each of which may be missing. Not timestamps, which selects do not show. */
export function showWindow(times: readonly unknown[], locale: string): Markup | null {
  if (times.every((time) => time === undefined)) return null;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  const [from, until] = times.map((at) => (typeof at === 'string' ? Date.parse(at) : null));
  if (typeof from === 'number' && typeof until === 'number' && from < until)
    return escapeInline(`${format.formatRange(from, until)} UTC`);
  const [start, end] = [from, until].map((at) => (typeof at === 'number' ? format.format(at) : ''));
  return escapeInline(`${start} – ${end} UTC`);
}

export const multipliers = setting({
  path: 'rewards.multipliers',
  description:
    'All that apply multiply the credits of a vote, rounded down; those that can apply together multiply to at most 1,000.',
  schema: atMost(multiplier, 100, 'multipliers').refine((all) => largestFactor(all) <= maxFactor, {
    ...breaks(
      rule('factors', { max: maxFactor }),
      `those that can apply to the same vote must not multiply to more than ${maxFactor}`,
    ),
    ...ifValid,
  }),
  inFile: ({ rewards }) =>
    rewards.multipliers.map(({ factor, days, from, until, role }) => ({
      factor,
      ...(days && { days: days.map((day) => weekdays[day - 1]) }),
      ...(from !== null && { from: new Date(from).toISOString() }),
      ...(until !== null && { until: new Date(until).toISOString() }),
      ...(role !== null && { role }),
    })),
  rules: (all) => ({ multipliers: all ?? [] }),
  requiredRoles: (value) => listOf(value).map((entry) => entry['role']),
  showEntry: showMultiplier,
});

export const streak = setting({
  path: 'rewards.streak',
  description: 'Credits for voting on successive calendar days. Listings of one guild share it.',
  schema: z.strictObject({
    every: wholeNumber(1, 3_650).describe(
      'Successive days with a vote after which the credits are paid, again and again.',
    ),
    credits: credits.describe('Paid each time.'),
    forgive: wholeNumber(0, 6).default(0).describe('Missed days in any seven that do not break a streak: 0 to 6.'),
  }),
  isShared: true,
  canBeOff: true,
  inFile: ({ rewards }) => rewards.streak,
  rules: (rules) => ({ streak: rules ?? null }),
  show(value, texts) {
    const { every, credits: paid, forgive } = objectOf(value);
    return texts.text('setup.values.streak', {
      credits: texts.text('parts.credits', { count: numberOf(paid) }),
      days: texts.text('parts.days', { count: numberOf(every) }),
      forgive: numberOf(forgive),
    });
  },
  fields: [
    { name: 'streakDays', kind: 'number', part: 'every', isRequiredPart: true, hint: 'off' },
    { name: 'streakCredits', kind: 'number', part: 'credits', ifEmpty: 0 },
    { name: 'forgive', kind: 'number', part: 'forgive', preset: 1, ifEmpty: 0, hint: 'forgive' },
  ],
});

const milestone = z
  .strictObject({
    votes: wholeNumber(1, maxVotes).optional().describe('Reached once, with this many counted votes.'),
    everyVotes: wholeNumber(1, maxVotes)
      .optional()
      .describe('In place of `votes`: reached with each multiple of this many.'),
    per: z
      .enum(['week', 'month'], 'it must be week or month')
      .optional()
      .describe(
        'With `votes`: the votes of a calendar `week` or `month` count, and it can be reached in each of them.',
      ),
    credits: credits.default(0).describe('Paid each time that it is reached.'),
    role: roleId.optional().describe('Role for members with this many votes.'),
  })
  .refine(
    ({ votes, everyVotes }) => (votes === undefined) !== (everyVotes === undefined),
    'it must have either "votes" or "everyVotes"',
  )
  .refine(({ per, everyVotes }) => per === undefined || everyVotes === undefined, {
    error: 'it must have "votes" in place of "everyVotes"',
    path: ['per'],
  })
  .refine(({ per, role }) => per === undefined || role === undefined, {
    ...breaks(rule('noRole'), 'a milestone of a week or month must not have a role'),
    path: ['role'],
  })
  .refine(
    (each) => each.credits > 0 || each.role !== undefined,
    breaks(rule('milestoneReward'), 'it must have "credits" or a "role"'),
  )
  .transform(
    ({ votes, everyVotes, per, credits: reward, role }): Milestone => ({
      votes: votes ?? everyVotes ?? 1,
      repeats: per ?? (votes === undefined ? 'every' : 'once'),
      credits: reward,
      role: role ?? null,
    }),
  );

const noEqualMilestones = noConflicts<Milestone>(
  (one, other) => one.votes === other.votes && one.repeats === other.repeats,
  ({ repeats }) => ({
    path: [repeats === 'every' ? 'everyVotes' : 'votes'],
    message: 'an earlier milestone has the same number',
    rule: rule('sameNumber'),
  }),
);

/** An entry in the words of `/setup`. */
export function showMilestone({ votes, everyVotes, per, credits: paid, role }: JsonObject, texts: Texts): Markup {
  const reward = joined(
    [
      numberOf(paid) > 0 ? texts.text('parts.credits', { count: numberOf(paid) }) : null,
      isSnowflake(role) ? roleMention(role) : null,
    ],
    ' + ',
  );
  const shown = { votes: texts.text('parts.votes', { count: numberOf(votes ?? everyVotes) }), reward };
  if (per === 'week' || per === 'month') return texts.text(`setup.values.${per}Milestone`, shown);
  return texts.text(votes === undefined ? 'setup.values.everyMilestone' : 'setup.values.milestone', shown);
}

export const milestones = setting({
  path: 'rewards.milestones',
  description: 'Credits, a role or both for numbers of counted votes. Listings of one guild share them.',
  schema: atMost(milestone, 100, 'milestones').superRefine(noEqualMilestones, ifValid),
  isShared: true,
  inFile: ({ rewards }) =>
    rewards.milestones.map(({ votes, repeats, credits: reward, role }) => ({
      [repeats === 'every' ? 'everyVotes' : 'votes']: votes,
      ...((repeats === 'week' || repeats === 'month') && { per: repeats }),
      credits: reward,
      ...(role !== null && { role }),
    })),
  rules: (all) => ({ milestones: all ?? [] }),
  givenRoles: (value) => listOf(value).map((entry) => ({ role: entry['role'], entry })),
  showEntry: showMilestone,
});

export const allListings = setting({
  path: 'rewards.allListings',
  description:
    'Credits for voting on all listings of the community in one calendar day. Listings of one guild share it.',
  schema: credits,
  isShared: true,
  canBeOff: true,
  inFile: ({ rewards }) => rewards.allListings,
  rules: (paid) => ({ allListings: paid ?? 0 }),
  show: showCredits,
  fields: [{ name: 'allListings', kind: 'number', hint: 'allListings', ifEmpty: null }],
});

export const firstVote = setting({
  path: 'rewards.firstVote',
  description:
    "Credits for a member's first vote of a calendar day, on any listing of the community. Listings of one guild share it.",
  schema: credits,
  isShared: true,
  canBeOff: true,
  inFile: ({ rewards }) => rewards.firstVote,
  rules: (paid) => ({ firstVote: paid ?? 0 }),
  show: showCredits,
  fields: [{ name: 'firstVote', kind: 'number', hint: 'off', ifEmpty: null }],
});

const chanceError = breaks(rule('chance'), 'it must be a number from 0 to 1');
const luckNameError = breaks(rule('length', { min: 1, max: 40 }), 'it must have 1 to 40 characters');

const luckEntry = z.strictObject({
  chance: z
    .number(chanceError)
    .min(0, chanceError)
    .max(1, chanceError)
    .describe('How likely each vote wins: from 0 (never) to 1 (always); `0.02` is one vote in fifty.'),
  credits: wholeNumber(1, 1_000_000).describe('Paid to the voter.'),
  name: z
    .string(luckNameError)
    .trim()
    .min(1, luckNameError)
    .max(40, luckNameError)
    .describe('Name of it, which members see: 1 to 40 characters.'),
});

/** An entry in the words of `/setup`. */
function showLuck({ chance, credits: paid, name }: JsonObject, texts: Texts): Markup {
  const share = new Intl.NumberFormat(texts.locale, { style: 'percent', maximumFractionDigits: 4 });
  return texts.text('setup.values.luck', {
    name: escapeName(textOf(name), 40),
    chance: escapeInline(share.format(numberOf(chance))),
    credits: texts.text('parts.credits', { count: numberOf(paid) }),
  });
}

export const luck = setting({
  path: 'rewards.luck',
  description: 'Credits that each vote wins with a chance, each entry independently of the others.',
  schema: atMost(luckEntry, 10, 'entries').refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
    ...breaks(rule('sameName'), 'two entries must not have the same name'),
    ...ifValid,
  }),
  inFile: ({ rewards }) => rewards.luck,
  rules: (all) => ({ luck: all ?? [] }),
  showEntry: showLuck,
});

export const weight = setting({
  path: 'rewards.weight',
  description:
    '`true`: the credits of a vote are multiplied by its weight at [another site](sites.md), at most by 4, as at weekends on top.gg.',
  default: false,
  schema: z.boolean(),
  canBeOff: true,
  inFile: ({ rewards }) => rewards.weight ?? null,
  rules: (isOn) => (isOn ? { weight: true } : {}),
});
