import { bold, commandMention, escapeName, joined, lines, type Markup } from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { searchChoices } from '../src/discord/commands/choices.ts';
import { type CommandInput, isOffered } from '../src/discord/commands/command.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import type { Command, CommandContext } from './context.ts';

/** Discord: "Embed Limits", `description` (characters). */
const maxTextLength = 4_096;

/** The commands that the member can use, a line each, or one of them with its options. */
export const help = {
  name: 'help',
  visibility: 'private',
  availability: 'everywhere',
  worksWithoutListing: true,
  describe: ({ texts }) => ({
    description: texts.text('help.description'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'command',
        description: texts.text('help.commandOption'),
        autocomplete: true,
      },
    ],
  }),
  async autocomplete(input, context) {
    const names = usableCommands(input, context).map(({ name }) => ({ name: `/${name}`, value: name }));
    return searchChoices(input.typed.slice(0, maxTypedLength), names);
  },
  async execute(input, context) {
    const usable = usableCommands(input, context);
    const entered = String(input.options['command'] ?? '').replace(/^\//, '');
    const chosen = usable.find(({ name }) => name === entered);
    if (chosen !== undefined) return renderCommand(chosen, context);
    return { tone: 'plain', title: context.texts.text('help.title'), text: renderList(usable, context) };
  },
} as const satisfies Command;

const maxTypedLength = 100;

function usableCommands(
  input: Pick<CommandInput, 'guildId' | 'isManager'>,
  context: CommandContext,
): readonly Command[] {
  return context.commands.filter((command) => isOffered(command, context) && isUsable(command, input));
}

function isUsable(
  { defaultMemberPermissions, availability }: Command,
  { guildId, isManager }: Pick<CommandInput, 'guildId' | 'isManager'>,
): boolean {
  if (guildId === null && availability !== 'everywhere') return false;
  return defaultMemberPermissions === undefined || isManager;
}

function renderList(commands: readonly Command[], context: CommandContext): Markup {
  const linesOf = (selected: readonly Command[]) => lines(...selected.map((command) => renderLine(command, context)));
  const forEveryone = linesOf(commands.filter((command) => command.defaultMemberPermissions === undefined));
  const forManagers = linesOf(commands.filter((command) => command.defaultMemberPermissions !== undefined));
  const menus = commands.flatMap(({ menu }) => (menu === undefined ? [] : [bold(escapeName(menu(context.texts)))]));
  const sections = [
    forManagers === '' ? forEveryone : lines(context.texts.text('help.everyone'), forEveryone),
    forManagers === '' ? null : lines(context.texts.text('help.managers'), forManagers),
    menus.length === 0 ? null : lines(context.texts.text('help.menus'), joined(menus, ' · ')),
  ];
  const text = joined(sections, '\n\n');
  return text.length > maxTextLength ? renderList(commands.slice(0, -1), context) : text;
}

function renderLine(command: Command, context: CommandContext): Markup {
  const { description } = command.describe(context);
  return joined([commandMention(command.name, context.commandId(command.name)), escapeName(description)], ' · ');
}

function renderCommand(command: Command, context: CommandContext): Reply {
  const { description, options } = command.describe(context);
  return {
    tone: 'plain',
    text: lines(commandMention(command.name, context.commandId(command.name)), escapeName(description)),
    fields: options.map((option) => ({
      name: escapeName(option.required === true ? option.name : `[${option.name}]`),
      value: escapeName(option.description),
    })),
  };
}
