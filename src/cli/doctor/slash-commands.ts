import { commandsFor } from '../../../commands/index.ts';
import type { Config } from '../../../config/schema.ts';
import { commandContextFor } from '../../app/command-context.ts';
import type { BotIdentity } from '../../discord/inspection.ts';
import type { CommandRegistry } from '../../discord/registration/command-registry.ts';
import { conflictHint } from '../../discord/registration/registrar.ts';
import { inspectRegistration } from '../../discord/registration/registration.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/finding.ts';
import { evaluateDiscordError, skippedWithoutDiscord } from './discord.ts';

/** Without the database, our commands are recognised by their description. */
const emptyRegistry: Pick<CommandRegistry, 'list'> = { list: async () => [] };

/** Checks that the slash commands are registered as this version defines them for the configured API keys. */
export async function checkSlashCommands(
  rest: DiscordRest,
  pendingIdentity: Promise<BotIdentity>,
  config: Config,
  registry = emptyRegistry,
): Promise<Finding[]> {
  const { guildId } = config.discord;
  const identity = await pendingIdentity.catch(() => null);
  if (identity === null) return [skippedWithoutDiscord];
  const { applicationId } = identity;
  const scope = formatScope(guildId);
  const context = commandContextFor(config);
  const storedCommands = await registry.list(applicationId);
  try {
    const registration = {
      rest,
      applicationId,
      guildId,
      commands: commandsFor(config),
      context,
      registry: { list: async () => storedCommands },
    };
    const { isCurrent, conflicts, elsewhere } = await inspectRegistration(registration);
    return [
      isCurrent
        ? pass(`The slash commands are registered ${scope}.`)
        : fail(
            `The slash commands are not registered ${scope}, or they are outdated.`,
            'Run `tallyhook register`. `tallyhook start` also registers them, once it is connected to Discord.',
          ),
      ...conflicts.map(({ name, id }) => warn(`Another program has registered /${name} (${id}).`, conflictHint)),
      // If the registration is outdated, the hint above removes these as well.
      ...(isCurrent ? elsewhere : []).map(({ name, id, guildId: guild }) =>
        warn(
          `/${name} (${id}) is also registered ${formatScope(guild)}.`,
          'Run `tallyhook register` to delete it there.',
        ),
      ),
    ];
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

function formatScope(guildId: string | null): string {
  return guildId === null ? 'globally' : `in guild ${guildId}`;
}
