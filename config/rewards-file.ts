import { z } from 'zod';
import { largestFactor } from '../src/core/rewards/multipliers.ts';
import type { Milestone, Multiplier } from '../src/core/rewards/rules.ts';
import { credits, duration, hasNoIssues, id, time, wholeNumber } from '../src/core/settings/value-schemas.ts';
import { isoWeekday, weekdays } from './weekdays.ts';

const maxCount = 1_000_000_000;
/** Largest product of multipliers: a vote then earns at most 1,000,000,000 credits, which both databases can store. */
const maxFactor = 1_000;
const expectedFactor = 'it must be a number greater than 0 and at most 100';

const multiplier = z
  .strictObject({
    factor: z
      .number(expectedFactor)
      .positive(expectedFactor)
      .max(100, expectedFactor)
      .describe('The credits of a vote are multiplied by it and rounded down.'),
    days: z
      .array(z.enum(weekdays, `it must be one of ${weekdays.join(', ')}`))
      .min(1, 'it must name at least one weekday; leave it out for all')
      .optional()
      .describe('Weekdays on which it applies, in the time zone of the community. If it is left out, all of them.'),
    from: time.optional().describe('Start, inclusive, in ISO 8601 with a time zone.'),
    until: time.optional().describe('End, exclusive, in ISO 8601 with a time zone.'),
    role: id.optional().describe('It applies to members with this role only (Discord id).'),
  })
  .refine(({ from, until }) => from === undefined || until === undefined || from < until, {
    error: 'it must be later than "from"',
    path: ['until'],
  })
  .transform(({ factor, days, from, until, role }): Multiplier => {
    const known = days === undefined ? null : [...new Set(days)].map(isoWeekday);
    return { factor, days: known, from: from ?? null, until: until ?? null, role: role ?? null };
  });

const milestone = z
  .strictObject({
    votes: wholeNumber(1, maxCount).optional().describe('Paid once, when a member has this many counted votes.'),
    everyVotes: wholeNumber(1, maxCount).optional().describe('Paid whenever a member has a multiple of this many.'),
    credits: credits.default(0).describe('Whole credits.'),
    role: id.optional().describe('Role for members with this many votes (Discord id).'),
  })
  .refine(
    ({ votes, everyVotes }) => (votes === undefined) !== (everyVotes === undefined),
    'it must have either "votes" or "everyVotes"',
  )
  .refine((each) => each.credits > 0 || each.role !== undefined, 'it must have "credits" or a "role"')
  .transform(
    ({ votes, everyVotes, credits: reward, role }): Milestone => ({
      votes: votes ?? everyVotes ?? 1,
      repeats: votes === undefined ? 'every' : 'once',
      credits: reward,
      role: role ?? null,
    }),
  );

function rejectEqualMilestones(all: readonly Milestone[], context: z.RefinementCtx): void {
  for (const [index, { votes, repeats }] of all.entries()) {
    if (all.findIndex((each) => each.votes === votes && each.repeats === repeats) === index) continue;
    const name = repeats === 'every' ? 'everyVotes' : 'votes';
    context.addIssue({ code: 'custom', path: [index, name], message: 'an earlier milestone has the same number' });
  }
}

/** `rewards` of a listing in the file. Values that are left out are undefined, except lists, which are empty. */
export const rewards = z.strictObject({
  vote: credits
    .optional()
    .describe('Credits per vote, if the delivery contains no number. CREDITS_PER_VOTE otherwise.'),
  premium: credits.optional().describe('Credits per purchase and renewal. CREDITS_PER_PREMIUM otherwise.'),
  whenDenied: credits.optional().describe('Credits for a denied vote. CREDITS_WHEN_DENIED otherwise.'),
  multipliers: z
    .array(multiplier)
    .max(100, 'it must have at most 100 multipliers')
    .refine((all) => largestFactor(all) <= maxFactor, {
      error: `those that can apply to the same vote must not multiply to more than ${maxFactor}`,
      when: hasNoIssues,
    })
    .optional()
    .describe('All that apply at the time of a vote are multiplied.'),
  streak: z
    .strictObject({
      every: wholeNumber(1, 3_650).describe('Counted days for which the credits are paid, again and again.'),
      credits: credits.describe('Whole credits, paid each time.'),
      forgive: wholeNumber(0, 6).default(0).describe('Missed days in any seven that do not break a streak.'),
    })
    .optional()
    .describe('Credits for voting on successive calendar days.'),
  milestones: z
    .array(milestone)
    .max(100, 'it must have at most 100 milestones')
    .superRefine(rejectEqualMilestones, { when: hasNoIssues })
    .optional()
    .describe('Credits and roles for numbers of counted votes.'),
  milestoneRoles: z
    .enum(['all', 'highest'], 'it must be "all" or "highest"')
    .optional()
    .describe('Whether a member keeps the roles of all reached milestones (the default), or of the highest only.'),
  voterRole: z
    .strictObject({
      role: id.describe('Discord id of the role.'),
      for: duration.optional().describe('How long a voter has it after each vote. VOTER_ROLE_FOR otherwise.'),
    })
    .optional()
    .describe('A role that each vote extends. VOTER_ROLE_ID otherwise.'),
  premiumRoles: z
    .record(z.string().min(1).max(100, 'a tier must have at most 100 characters'), id)
    .optional()
    .describe('Roles by the name of the premium tier; "*" is for all other tiers.'),
  allListings: credits.optional().describe('Credits for voting on all listings of the community in one calendar day.'),
  party: z
    .strictObject({
      goal: wholeNumber(1, maxCount).describe('Counted votes of all members in one period.'),
      per: z.enum(['day', 'week', 'month'], 'it must be "day", "week" or "month"').describe('The calendar period.'),
      credits: credits.describe('For each member who voted in the period before the goal was reached.'),
    })
    .optional()
    .describe('A goal that the community reaches together. Listings of one guild share it.'),
});

export type FileRewards = z.infer<typeof rewards>;
