import { z } from 'zod';
import { type CommandOptions, chooseCommands } from '../../commands/command-options.ts';
import { commandsFor } from '../../commands/index.ts';
import { checkConfig } from '../../config/app-options.ts';
import type { Config } from '../../config/schema.ts';
import { fetchApplicationId } from '../discord/inspection.ts';
import { type RegistrationReport, registerCommands } from '../discord/registration/registration.ts';
import { createDiscordRest } from '../discord/rest.ts';
import { configuredOffer } from '../features/communities/command-context.ts';
import { openStore } from '../features/store.ts';
import { systemClock } from '../platform/clock.ts';
import { checkOptions, instance } from '../platform/options.ts';

/** What is registered beside the commands of tallyhook. @category Commands */
export interface RegisterOptions {
  /** The same as for `createApp`: a command that is missing here is deleted from Discord. */
  readonly commands?: CommandOptions;
}

const registerOptions = z.strictObject({ commands: instance.optional() });

/** `registerCommands` of the package. */
export async function register(config: Config, options: RegisterOptions): Promise<RegistrationReport> {
  checkConfig('registerCommands', config);
  checkOptions('registerCommands', options, registerOptions);
  const choice = { caller: 'registerCommands', ledger: null };
  const { offered: commands } = chooseCommands(commandsFor(config), options.commands, choice);
  const rest = createDiscordRest(config.discord);
  const store = await openStore(config.databaseUrl, systemClock, { thread: false });
  try {
    return await registerCommands({
      rest,
      commands,
      context: await configuredOffer(config, store.settings.hasValue),
      registry: store.commandRegistry,
      applicationId: await fetchApplicationId(rest),
      guildId: config.discord.guildId,
    });
  } finally {
    await store.close();
  }
}
