import { commandsFor } from '../../../commands/index.ts';
import { conflictHint } from '../../discord/registration/registrar.ts';
import { inspectRegistration } from '../../discord/registration/registration.ts';
import { configuredOffer } from '../../features/communities/command-context.ts';
import { fail, pass, warn } from '../../platform/doctor/check.ts';
import { orDiscordError, skippedWithoutDiscord } from './discord.ts';
import type { InstallationCheck } from './installation.ts';

/** Whether the slash commands are registered as this version defines them for the configured API keys. */
export const slashCommandsCheck: InstallationCheck = {
  name: 'commands',
  async run({ config, rest, bot, store }) {
    const identity = await bot();
    if (identity === null) return [skippedWithoutDiscord];
    const { applicationId } = identity;
    const { guildId } = config.discord;
    const scope = formatScope(guildId);
    // Without the database, our commands are recognised by their description.
    const context = await configuredOffer(config, store?.settings.hasValue ?? (async () => false));
    const stored = store === null ? [] : await store.commandRegistry.list(applicationId);
    const commands = commandsFor(config);
    const registry = { list: async () => stored };
    return orDiscordError(async () => {
      const { isCurrent, conflicts, elsewhere } = await inspectRegistration({
        rest,
        applicationId,
        guildId,
        commands,
        context,
        registry,
      });
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
    });
  },
};

function formatScope(guildId: string | null): string {
  return guildId === null ? 'globally' : `in guild ${guildId}`;
}
