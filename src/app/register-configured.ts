import { systemClock } from '@tallyhook/platform/clock';
import { checkOptions, instance } from '@tallyhook/platform/options';
import { z } from 'zod';
import { type CommandOptions, chooseCommands } from '../../commands/custom-command.ts';
import { commandsFor } from '../../commands/index.ts';
import { checkConfig } from '../../config/app-options.ts';
import type { Config } from '../../config/schema.ts';
import { fetchApplicationId } from '../discord/inspection.ts';
import {
  adoptEarlierCommands,
  type EarlierCommands,
  maxGuildsOnRequest,
  type RegistrationReport,
  registerCommands,
  scopesToSearch,
} from '../discord/registration/registration.ts';
import { createDiscordRest, type DiscordRest } from '../discord/rest.ts';
import { configuredOffer } from '../features/communities/command-context.ts';
import { effectiveListings } from '../features/settings/in-effect.ts';
import { openStore, type Store } from '../features/store.ts';

/** `RegisterOptions` of the package: declared where they are exported, so that its types do not refer to all of these. */
interface Registered {
  readonly commands?: CommandOptions;
}

/**
 * Registers the commands that an app with this configuration offers, and deletes those that an earlier one has left in
 * other scopes. Throws the errors of discord.js, and what {@link chooseCommands} and {@link configuredOffer} throw.
 * @param options.caller for the messages of errors
 * @param options.adopted ids of commands in other scopes that are ours, as the operator says
 */
export async function registerConfigured(
  config: Config,
  {
    adopted = [],
    ...options
  }: Registered & { caller: string; rest: DiscordRest; store: Store; adopted?: readonly string[] },
): Promise<{
  readonly applicationId: string;
  readonly report: RegistrationReport;
  readonly earlier: EarlierCommands;
}> {
  const { caller, commands, rest, store } = options;
  const chosen = chooseCommands(commandsFor(config), commands, { caller, ledger: null });
  const applicationId = await fetchApplicationId(rest);
  const { listings, guildIds } = await effectiveListings(config, store.settings);
  const registration = {
    rest,
    commands: chosen.offered,
    context: await configuredOffer({ ...config, listings }, store.settings.hasValue),
    registry: store.commandRegistry,
    applicationId,
    guildId: config.discord.guildId,
  };
  const scopes = await scopesToSearch(rest, guildIds, maxGuildsOnRequest);
  const earlier = await adoptEarlierCommands(registration, scopes, adopted);
  return { applicationId, report: await registerCommands(registration), earlier };
}

const registerOptions = z.strictObject({ commands: instance.optional() });

/** `registerCommands` of the package. */
export async function register(config: Config, options: Registered): Promise<RegistrationReport> {
  const caller = 'registerCommands';
  checkConfig(caller, config);
  checkOptions(caller, options, registerOptions);
  const store = await openStore(config.databaseUrl, systemClock, { thread: false });
  try {
    const rest = createDiscordRest(config.discord);
    const { report } = await registerConfigured(config, { caller, ...options, rest, store });
    return report;
  } finally {
    await store.close();
  }
}
