import { ApplicationCommandOptionType, type ChatInputCommandInteraction } from 'discord.js';
import type { CommandInput, OptionValue } from '../../commands/command.ts';

/** The options of a slash command; a user, channel or role is its id. */
export function toCommandInput(interaction: ChatInputCommandInteraction): CommandInput {
  const options = interaction.options.data.flatMap(({ name, type, value }): [string, OptionValue][] =>
    value === undefined || type === ApplicationCommandOptionType.Subcommand ? [] : [[name, value]],
  );
  return { options: Object.fromEntries(options), userId: interaction.user.id };
}

/** Discord: "Custom ID", 1 to 100 characters. */
const maxCustomIdLength = 100;
/** Prefix of all our custom ids: other programs with the same token have buttons, selects and modals of their own. */
const prefix = 'tallyhook:';
/** The custom ids of buttons that were posted before the prefix was introduced, in exactly their former format. */
const unprefixedId = /^reviews:sort=(?:newest|highest|lowest)&limit=\d{1,2}(?:&listing=[\w.-]{1,32})?&page=\d{1,2}$/;

/** The content of a page button's custom id: the command to run, and its options. */
export interface CustomId {
  readonly command: string;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/**
 * `tallyhook:reviews:sort=newest&limit=12&page=2`: the id holds all state of a button. Null if it would exceed 100
 * characters.
 */
export function encodeCustomId({ command, options }: CustomId): string | null {
  const pairs = Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]);
  const id = `${prefix}${command}:${new URLSearchParams(pairs).toString()}`;
  return id.length <= maxCustomIdLength ? id : null;
}

/** Whether a custom id has our format. It is untrusted: everyone who can post with the token can create one. */
export function isOwnCustomId(id: string): boolean {
  return id.startsWith(prefix) || unprefixedId.test(id);
}

/** Null for an id that is not ours. The options are untrusted strings. */
export function decodeCustomId(id: string): CustomId | null {
  if (!isOwnCustomId(id)) return null;
  const content = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  const [, command, query] = /^([a-z][a-z0-9_-]{0,31}):(.*)$/s.exec(content) ?? [];
  if (command === undefined || query === undefined) return null;
  return { command, options: Object.fromEntries(new URLSearchParams(query)) };
}
