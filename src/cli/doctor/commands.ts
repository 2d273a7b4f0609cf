import { commands } from '../../../commands/index.ts';
import type { Config } from '../../../config/schema.ts';
import type { CommandRegistry } from '../../discord/command-registry.ts';
import type { BotIdentity } from '../../discord/inspection.ts';
import { conflictHint } from '../../discord/registrar.ts';
import { inspectRegistration } from '../../discord/registration.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { commandContextFor } from '../register.ts';
import { evaluateDiscordError, skipped } from './discord.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** Does Discord know the commands as this version with these keys offers them? */
export async function checkCommands(
  rest: DiscordRest,
  identity: Promise<BotIdentity>,
  config: Config,
  /** Without rows where the database cannot be read: our commands are recognised by their description then. */
  registry: Pick<CommandRegistry, 'list'> = { list: async () => [] },
): Promise<Finding[]> {
  const { guildId } = config.discord;
  const known = await identity.catch(() => null);
  if (known === null) return [skipped];
  const { applicationId } = known;
  const where = placeOf(guildId);
  const context = commandContextFor(config);
  const stored = await registry.list(applicationId);
  try {
    const registration = { rest, applicationId, guildId, commands, context, registry: { list: async () => stored } };
    const { isCurrent, conflicts, elsewhere } = await inspectRegistration(registration);
    return [
      isCurrent
        ? pass(`The slash commands are registered ${where}.`)
        : fail(
            `The slash commands are not registered ${where}, or not as this version offers them.`,
            'Run `tallyhook register`; `tallyhook start` does the same once Discord is reached.',
          ),
      ...conflicts.map(({ name, id }) =>
        warn(`/${name} (${id}) of another program is in the place of ours.`, conflictHint),
      ),
      // Otherwise the hint above deletes them, too.
      ...(isCurrent ? elsewhere : []).map(({ name, id, guildId: guild }) =>
        warn(
          `/${name} (${id}) is still registered ${placeOf(guild)}, too.`,
          'Run `tallyhook register`: it deletes it there.',
        ),
      ),
    ];
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

function placeOf(guildId: string | null): string {
  return guildId === null ? 'everywhere' : `on guild ${guildId}`;
}
