import { commandsFor } from '../../commands/index.ts';
import { loadConfig } from '../../config/load.ts';
import { commandDataOf } from '../../src/discord/registration/registration.ts';
import { configuredOffer } from '../../src/features/communities/command-context.ts';

/** The names of the commands that a program with these settings registers, in its order; nothing is stored yet. */
export async function offeredCommands(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const config = loadConfig(environment);
  const offer = await configuredOffer(config, async () => false);
  return commandDataOf({ commands: commandsFor(config), context: offer, guildId: null }).map(({ name }) => name);
}
