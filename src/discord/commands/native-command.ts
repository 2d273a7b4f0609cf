import type { AutocompleteInteraction, ChatInputCommandInteraction } from 'discord.js';
import type { CommandData, NativeFunctions } from './command.ts';

/**
 * A command in the shape of discord.js's guide: it gets the interaction of discord.js, and answers it itself.
 * @category Commands
 */
export interface NativeCommand<Context> {
  /** A `SlashCommandBuilder`, or what its `toJSON` returns. */
  readonly data: CommandData | { toJSON(): CommandData };
  /** Answers the interaction. An error is logged, and the member reads that something went wrong. */
  execute(interaction: ChatInputCommandInteraction, context: Context): unknown;
  /** Answers with choices, within 3 s. */
  autocomplete?(interaction: AutocompleteInteraction, context: Context): unknown;
}

export function bodyOfNative({ data }: Pick<NativeCommand<never>, 'data'>): CommandData {
  return 'toJSON' in data ? data.toJSON() : data;
}

export function functionsOfNative<Context>(command: NativeCommand<Context>, context: Context): NativeFunctions {
  return {
    execute: (interaction) => command.execute(interaction, context),
    autocomplete: (interaction) => command.autocomplete?.(interaction, context),
  };
}
