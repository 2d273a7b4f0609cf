import { expect, it } from 'vitest';
import type { Hooks } from '../../src/core/tally/tally.ts';
import { confirmations } from '../../src/features/confirmations/feature.ts';
import { handlers } from '../../src/features/handlers/feature.ts';
import { storedFeatures } from '../../src/features/index.ts';
import { linkedRoles } from '../../src/features/linked-roles/feature.ts';
import { nextVotes } from '../../src/features/next-votes/feature.ts';
import { party } from '../../src/features/party/feature.ts';
import { rateAlarms } from '../../src/features/rate-alarms/feature.ts';
import { reminders } from '../../src/features/reminders/feature.ts';

it.each<[keyof Hooks, readonly Hooks[]]>([
  ['beforeVote', [confirmations, rateAlarms]],
  ['onVote', [reminders, nextVotes, linkedRoles, party]],
  ['afterVote', [handlers]],
  ['onPremium', [linkedRoles]],
  ['afterPremium', [handlers]],
])('%s is called in this order, as in ARCHITECTURE.md', (hook, expected) => {
  const called: readonly Hooks[] = storedFeatures.hooks.filter((feature: Hooks) => feature[hook] !== undefined);
  expect(called.filter((feature) => expected.includes(feature))).toEqual(expected);
});
