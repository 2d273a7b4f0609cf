import type { CommandInput } from '../src/discord/commands/input.ts';
import { commandMention, escapeName, joined, lines, type Markup, markup, subtext } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';

/** Discord: "Embed Limits", `description` (characters). */
const maxTextLength = 4_096;

/** The commands that the member can use, as they describe themselves. */
export const help = {
  name: 'help',
  visibility: 'private',
  hasPages: false,
  availability: 'everywhere',
  worksWithoutListing: true,
  isServedBy: () => true,
  describe: ({ texts }) => ({ description: texts.help.description, options: [] }),
  async execute(input, context) {
    return { tone: 'plain', title: context.texts.help.title, text: renderCommands(input, context) };
  },
} as const satisfies Command;

/** With the options if they fit, otherwise without; in both cases only whole entries. */
function renderCommands(input: CommandInput, context: CommandContext): Markup {
  const usable = context.commands.filter((command) => command.isServedBy(context.listings) && isUsable(command, input));
  const withOptions = renderSections(usable, context, true);
  if (textOf(withOptions).length <= maxTextLength) return textOf(withOptions);
  const entries = renderSections(usable, context, false);
  let count = entries.length;
  while (textOf(entries.slice(0, count)).length > maxTextLength) count -= 1;
  return textOf(entries.slice(0, count));
}

function isUsable({ defaultMemberPermissions, availability }: Command, input: CommandInput): boolean {
  if (input.guildId === null && availability !== 'everywhere') return false;
  return defaultMemberPermissions === undefined || input.isManager;
}

/** The commands for everyone, then those for managers, under headings if there are both. */
function renderSections(commands: readonly Command[], context: CommandContext, withOptions: boolean): Markup[] {
  const { everyone, managers } = context.texts.help;
  const entriesOf = (selected: readonly Command[]) =>
    selected.map((command) => renderCommand(command, context, withOptions));
  const forEveryone = entriesOf(commands.filter((command) => command.defaultMemberPermissions === undefined));
  const forManagers = entriesOf(commands.filter((command) => command.defaultMemberPermissions !== undefined));
  return forManagers.length === 0 ? forEveryone : [everyone, ...forEveryone, managers, ...forManagers];
}

function renderCommand(command: Command, context: CommandContext, withOptions: boolean): Markup {
  const { description, options } = command.describe(context);
  const usage = options.map(({ name, required }) => escapeName(required === true ? name : `[${name}]`));
  const details = withOptions
    ? options.map((option) => subtext(markup`${escapeName(option.name)}: ${escapeName(option.description)}`))
    : [];
  return lines(
    joined([commandMention(command.name, context.commandId(command.name)), ...usage], ' '),
    escapeName(description),
    ...details,
  );
}

function textOf(entries: readonly Markup[]): Markup {
  return joined(entries, '\n\n');
}
