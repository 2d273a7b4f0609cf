import { createSetupDrafts, type SetupChecks, type SetupServices } from '../../../commands/setup-services.ts';
import { createGuildChannels } from '../../discord/guild-channels.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { Setup } from './setup.ts';
import { createSetupChecks } from './setup-checks.ts';

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    /** Null if settings cannot be stored; then there is no `/setup`. */
    readonly setup: SetupServices | null;
  }
}

export function createServices(
  context: ServicesContext & {
    readonly store: { readonly budgetStore: BudgetStore };
    readonly setup: Setup;
    readonly roleAccess: SetupChecks['roleAccess'];
    readonly postVotePanel: SetupServices['postVotePanel'];
    readonly hasVotePanel: SetupServices['hasVotePanel'];
  },
) {
  const { config, setup, roleAccess, postVotePanel, hasVotePanel, rest, clock, stopwatch, log } = context;
  const channelsOf = createGuildChannels({ rest, clock: stopwatch, log });
  const checks = { ...createSetupChecks(config, context), roleAccess, channelsOf };
  const setupServices: SetupServices = {
    settings: setup,
    drafts: createSetupDrafts(clock),
    checks,
    postVotePanel,
    hasVotePanel,
  };
  return { shared: { setupServices }, commands: { setup: setupServices } } satisfies FeatureServices;
}
