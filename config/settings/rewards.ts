import { expectedDuration } from '@tallyhook/platform/duration-text';
import { z } from 'zod';
import { premium, vote, whenDenied } from '../../src/core/settings/reward-settings.ts';
import { duration } from '../../src/core/settings/value-schemas.ts';
import { decimal, digits, expectedId, group, roleId, setting } from './setting.ts';

const credits = digits(0, 1_000_000);
const expectedCredits = 'a whole number from 0 to 1000000';

export const rewards = group('Credits and roles', {
  CREDITS_PER_VOTE: setting({
    schema: credits,
    expected: expectedCredits,
    default: '10',
    wish: 'other credits for a vote',
    description: vote.description,
  }),
  CREDITS_PER_PREMIUM: setting({
    schema: credits,
    expected: expectedCredits,
    default: '100',
    wish: 'other credits for premium',
    description: premium.description,
  }),
  CREDITS_WHEN_DENIED: setting({
    schema: credits,
    expected: expectedCredits,
    default: '0',
    wish: 'credits also for denied votes',
    description: whenDenied.description,
  }),
  VOTE_COOLDOWN_HOURS: setting({
    schema: decimal.pipe(z.number().positive().max(8_760)),
    expected: 'a number of hours greater than 0',
    default: '12',
    wish: 'the waiting time of my service',
    description: 'Hours between two rewarded votes of one user.',
  }),
  VOTER_ROLE_ID: setting({
    schema: roleId,
    expected: expectedId,
    wish: 'a role for everyone who votes',
    description: 'Id of a role of `DISCORD_GUILD_ID` that each vote gives.',
  }),
  VOTER_ROLE_FOR: setting({
    schema: duration,
    expected: expectedDuration,
    default: '12h',
    wish: 'that role for longer',
    description: 'How long voters have the role after each vote: `90s`, `30m`, `12h` or `7d`.',
  }),
  REMINDERS: setting({
    schema: z.enum(['on', 'off']),
    expected: 'on or off',
    default: 'on',
    wish: 'no direct messages',
    description:
      '`off`: no reminders are sent, and `/remind` and its buttons are not offered. Who has switched them on is kept.',
  }),
});
