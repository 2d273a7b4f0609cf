import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { createGuildChannels, fetchBotIdentity, mayManageGuild } from '../../discord/inspection.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { RuleChange, SimulatedCredits } from '../simulation/feature.ts';
import { createConnect } from './connect.ts';
import {
  createChangeSimulation,
  createSetupChecks,
  createSetupDrafts,
  createUploads,
  type SetupChecks,
  type SetupServices,
} from './services.ts';
import type { Settings } from './settings.ts';

type SetupContext = ServicesContext & {
  readonly store: {
    readonly budgetStore: BudgetStore;
    readonly settings: Pick<SettingsStore, 'state'>;
    readonly simulation: { simulateCredits(change: RuleChange): Promise<SimulatedCredits | null> };
  };
  readonly encryption: Encryption;
  readonly setup: Settings;
};

export function createServices(
  context: SetupContext & {
    readonly topggConnect: SetupServices['connections'];
    readonly roleAccess: SetupChecks['roleAccess'];
    readonly postVotePanel: SetupServices['postVotePanel'];
    readonly hasVotePanel: SetupServices['hasVotePanel'];
    readonly tokens: SetupServices['tokens'];
  },
): FeatureServices & {
  readonly shared: { readonly setupServices: SetupServices };
  readonly commands: { readonly setup: SetupServices | null };
} {
  const {
    config,
    setup,
    topggConnect: connections,
    roleAccess,
    postVotePanel,
    hasVotePanel,
    tokens,
    directory,
    rest,
    clock,
    stopwatch,
    log,
  } = context;
  const channelsOf = createGuildChannels({ rest, clock: stopwatch, log });
  const readUpload = createUploads({ apiUrl: config.discord.apiUrl, stopwatch, log });
  const connecting = createConnecting(context);
  const connectOffer = connecting?.offer ?? (async () => null);
  const checks = { ...createSetupChecks(config, context), roleAccess, channelsOf, readUpload, connectOffer };
  const drafts = createSetupDrafts(clock);
  const simulateChange = createChangeSimulation({ ...context, simulate: context.store.simulation.simulateCredits });
  const communityIdOf = (guildId: string) => directory.ofGuild(guildId)?.id ?? null;
  const shown = { simulateChange, drafts, checks, connections, postVotePanel, hasVotePanel, tokens, communityIdOf };
  const setupServices: SetupServices = { settings: setup, ...shown };
  return {
    ...(connecting && { routes: connecting.routes }),
    shared: { setupServices },
    commands: { setup: setupServices },
  };
}

/** Null without a service, or without PUBLIC_URL or DISCORD_TOKEN. */
function createConnecting({ config: { lookup, publicUrl, discord }, ...context }: SetupContext) {
  if (lookup.baseUrl === '' || publicUrl === null || discord.token === '') return null;
  const { store, directory, rest, setup, stopwatch } = context;
  return createConnect({
    ...context,
    serviceUrl: lookup.baseUrl,
    publicUrl,
    settings: setup,
    keyId: async () => (await store.settings.state()).keyId,
    isManager: (guildId, userId) => mayManageGuild(rest, { guildId, userId, now: stopwatch.now() }),
    botName: async () => (await fetchBotIdentity(rest)).name,
    mayLink: () => (directory.ofGuild(null)?.named ?? []).length === 0,
  });
}
