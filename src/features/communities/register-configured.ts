import { z } from 'zod';
import { type CommandOptions, chooseCommands } from '../../../commands/command-options.ts';
import { commandsFor } from '../../../commands/index.ts';
import { checkConfig } from '../../../config/app-options.ts';
import type { Config } from '../../../config/schema.ts';
import { fetchApplicationId } from '../../discord/inspection.ts';
import { type RegistrationReport, registerCommands } from '../../discord/registration/registration.ts';
import { createDiscordRest, type DiscordRest } from '../../discord/rest.ts';
import { systemClock } from '../../platform/clock.ts';
import { checkOptions, instance } from '../../platform/options.ts';
import { openStore, type Store } from '../store.ts';
import { configuredOffer } from './command-context.ts';

/** `RegisterOptions` of the package: declared where they are exported, so that its types do not refer to all of these. */
interface Registered {
  readonly commands?: CommandOptions;
}

/**
 * Registers the commands that an app with this configuration offers. Throws the errors of discord.js, and what
 * {@link chooseCommands} and {@link configuredOffer} throw.
 * @param options.caller for the messages of errors
 */
export async function registerConfigured(
  config: Config,
  { caller, commands, rest, store }: Registered & { caller: string; rest: DiscordRest; store: Store },
): Promise<{ readonly applicationId: string; readonly report: RegistrationReport }> {
  const chosen = chooseCommands(commandsFor(config), commands, { caller, ledger: null });
  const applicationId = await fetchApplicationId(rest);
  const report = await registerCommands({
    rest,
    commands: chosen.offered,
    context: await configuredOffer(config, store.settings.hasValue),
    registry: store.commandRegistry,
    applicationId,
    guildId: config.discord.guildId,
  });
  return { applicationId, report };
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
