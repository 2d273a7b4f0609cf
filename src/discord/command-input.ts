import { ApplicationCommandOptionType, type ChatInputCommandInteraction } from 'discord.js';
import type { CommandInput, OptionValue } from '../../commands/command.ts';

/** What a slash command was asked; a user, channel or role is its id. */
export function toCommandInput(interaction: ChatInputCommandInteraction): CommandInput {
  const given = interaction.options.data.flatMap(({ name, type, value }): [string, OptionValue][] =>
    value === undefined || type === ApplicationCommandOptionType.Subcommand ? [] : [[name, value]],
  );
  return { options: Object.fromEntries(given), userId: interaction.user.id };
}
