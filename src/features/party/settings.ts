import { numberOf, objectOf } from '@tallyhook/platform/json';
import { z } from 'zod';
import { announcementSwitch } from '../../core/announcements/announcement-style.ts';
import { maxVotes } from '../../core/settings/reward-settings.ts';
import { choicesOf, type SettingSpec, setting, showChoice } from '../../core/settings/setting-spec.ts';
import { credits, wholeNumber } from '../../core/settings/value-schemas.ts';
import { partyAnnounced, partyRules } from './rules.ts';

const periods = ['day', 'week', 'month'] as const;

export const party = setting({
  path: 'rewards.party',
  description:
    'A goal that all members reach together; a message in the channel for announcements shows the progress. Listings of one guild share it.',
  schema: z.strictObject({
    goal: wholeNumber(1, maxVotes).describe('Counted votes of all members in one period.'),
    per: z
      .enum(periods, 'it must be "day", "week" or "month"')
      .describe('The period: a calendar `day`, `week` or `month`.'),
    credits: credits.describe('For each member who voted in the period before the goal was reached.'),
  }),
  isShared: true,
  canBeOff: true,
  inFile: ({ rewards }) => partyRules.in(rewards),
  rules: (rules) => partyRules.as(rules ?? null),
  show(value, texts) {
    const { credits: paid, goal, per } = objectOf(value);
    const { text } = texts;
    const values = {
      credits: text('parts.credits', { count: numberOf(paid) }),
      votes: text('parts.votes', { count: numberOf(goal) }),
    };
    return text('setup.values.party', { ...values, per: showChoice(per, texts) });
  },
  form: 'party',
  fields: [
    { name: 'goal', kind: 'number', part: 'goal', isRequiredPart: true, hint: 'off' },
    { name: 'per', kind: 'radios', part: 'per', preset: 'week', choices: choicesOf(...periods) },
    { name: 'partyCredits', kind: 'number', part: 'credits', ifEmpty: 0 },
  ],
});

export const announced = {
  ...announcementSwitch(
    'party',
    'Show the progress of the party and its goal. Listings of one guild share it: `false` in one of them suffices.',
  ),
  event: partyAnnounced,
} as const satisfies SettingSpec;
