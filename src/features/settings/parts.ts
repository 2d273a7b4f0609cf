import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { RequestHandler } from 'express';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { createGuildChannels, fetchBotIdentity, mayManageGuild } from '../../discord/inspection.ts';
import type { BudgetStore } from '../../lookup/budget.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { RuleChange, SimulatedCredits } from '../simulation/feature.ts';
import { createConnect, createConnectClient, createConnectRoutes, createConnectTickets } from './connect.ts';
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
    rest,
    clock,
    stopwatch,
    log,
  } = context;
  const channelsOf = createGuildChannels({ rest, clock: stopwatch, log });
  const readUpload = createUploads({ apiUrl: config.discord.apiUrl, stopwatch, log });
  const connecting = createConnecting(context);
  const connectOffer = connecting?.connect.offer ?? (async () => null);
  const checks = { ...createSetupChecks(config, context), roleAccess, channelsOf, readUpload, connectOffer };
  const drafts = createSetupDrafts(clock);
  const simulateChange = createChangeSimulation({ ...context, simulate: context.store.simulation.simulateCredits });
  const shown = { simulateChange, drafts, checks, connections, postVotePanel, hasVotePanel };
  const setupServices: SetupServices = { settings: setup, ...shown };
  return {
    ...(connecting && { routes: connecting.routes }),
    shared: { setupServices },
    commands: { setup: setupServices },
  };
}

/** Null without a service, or without PUBLIC_URL or DISCORD_TOKEN. */
function createConnecting({
  config: { lookup, publicUrl, discord },
  ...context
}: SetupContext): { readonly connect: ReturnType<typeof createConnect>; readonly routes: RequestHandler } | null {
  if (lookup.baseUrl === '' || publicUrl === null || discord.token === '') return null;
  const { store, encryption, setup, directory, languages, rest, clock, log } = context;
  const tickets = createConnectTickets({
    encryption,
    keyId: async () => (await store.settings.state()).keyId,
    now: clock.now,
  });
  const connect = createConnect({
    ...context,
    client: createConnectClient(lookup.baseUrl, { now: context.stopwatch.monotonic, log }),
    tickets,
    settings: setup,
    publicUrl,
    isManager: (guildId, userId) => mayManageGuild(rest, { guildId, userId, now: context.stopwatch.now() }),
    botName: async () => (await fetchBotIdentity(rest)).name,
    mayLink: () => (directory.ofGuild(null)?.named ?? []).length === 0,
  });
  return { connect, routes: createConnectRoutes({ connect, tickets, publicUrl, languages, log }) };
}
