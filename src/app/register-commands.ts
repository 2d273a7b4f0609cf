import type { CommandOptions } from '../../commands/custom-command.ts';
import type { Config } from '../../config/schema.ts';
import type { RegistrationReport } from '../discord/registration/registration.ts';

/** Commands that are registered beside those of tallyhook. @category Commands */
export interface RegisterOptions {
  /** The commands as `createApp` takes them: one that is missing here is deleted from Discord. */
  readonly commands?: CommandOptions;
}

/**
 * Registers the slash commands, globally or in the guild of `DISCORD_GUILD_ID`, as `tallyhook register` does. A running
 * app does that at its start; use this to do it ahead of time. Commands of other programs are not changed.
 *
 * Throws the errors of discord.js, and TallyhookError `invalid_options`, `command_name_taken`, `command_name_invalid`,
 * `cannot_open_database` or `database_too_new`.
 * @category Commands
 * @example
 * ```ts
 * import { loadConfig } from 'tallyhook';
 * import { registerCommands } from 'tallyhook/discord';
 *
 * const { created, updated } = await registerCommands(loadConfig(process.env));
 * console.log(created, updated);
 * ```
 */
export async function registerCommands(config: Config, options: RegisterOptions = {}): Promise<RegistrationReport> {
  // Lazily: who imports `markup` alone does not load the bot.
  const { register } = await import('./register-configured.ts');
  return register(config, options);
}
