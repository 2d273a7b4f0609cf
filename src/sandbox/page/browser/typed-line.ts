import type { CommandSchema, Option, ValueOption } from '../../discord/command-schema.ts';

export type CommandDefinition = Pick<
  CommandSchema,
  'name' | 'name_localizations' | 'description' | 'description_localizations' | 'options'
>;
type ParentOption = Exclude<Option, ValueOption>;

/** A partially typed line such as `/reviews sort:highest limit:5`, parsed. */
export type TypedLine =
  /** The cursor is in the name of the command. */
  | { readonly stage: 'command'; readonly prefix: string }
  /** The cursor is in the name of a subcommand. */
  | {
      readonly stage: 'subcommand';
      readonly head: string;
      readonly prefix: string;
      readonly subcommands: ParentOption[];
    }
  | ({
      readonly stage: 'options';
      /** The command including subcommands, as in `vote trace`. */
      readonly name: string;
      /** The text before the options. */
      readonly head: string;
      readonly options: readonly ValueOption[];
    } & TypedOptions);

interface TypedOptions {
  /** The texts of the options, by name. */
  readonly values: ReadonlyMap<string, string>;
  /** The option with the cursor in its value. */
  readonly current: ValueOption | null;
  /** The text before the first option. */
  readonly unparsed: string;
}

export function parseTypedLine(line: string, commands: readonly CommandDefinition[]): TypedLine {
  const [, word = '', after = ''] = /^\/(\S*)([\s\S]*)$/.exec(line) ?? [];
  const command = after === '' ? undefined : commands.find(({ name }) => name === word);
  if (command === undefined) return { stage: 'command', prefix: word };
  const path = [word];
  let options: readonly Option[] = command.options ?? [];
  let unparsed = after.trimStart();
  while (options.some(isParent)) {
    const subcommands = options.filter(isParent);
    const [, name = '', more = ''] = /^(\S*)(\s?[\s\S]*)$/.exec(unparsed) ?? [];
    const chosen = more === '' ? undefined : subcommands.find((option) => option.name === name);
    if (chosen === undefined) return { stage: 'subcommand', prefix: name, head: `/${path.join(' ')} `, subcommands };
    path.push(name);
    options = chosen.options ?? [];
    unparsed = more.trimStart();
  }
  const valueOptions = options.filter((option): option is ValueOption => !isParent(option));
  const name = path.join(' ');
  return { stage: 'options', name, head: `/${name} `, options: valueOptions, ...readOptions(unparsed, valueOptions) };
}

/** Splits `sort:highest limit:5` at the option names. */
function readOptions(text: string, options: readonly ValueOption[]): TypedOptions {
  const names = options.map(({ name }) => escapeRegExp(name)).join('|') || '(?!)';
  const matches = [...text.matchAll(new RegExp(`(?:^|\\s)(${names}):`, 'giu'))];
  const values = new Map<string, string>();
  for (const [index, match] of matches.entries()) {
    const end = matches[index + 1]?.index ?? text.length;
    values.set(nameIn(match), text.slice(match.index + match[0].length, end).trim());
  }
  const last = matches.at(-1);
  const current = last === undefined || /\s$/.test(text.trimStart()) ? null : nameIn(last);
  const unparsed = text.slice(0, matches[0]?.index ?? text.length).trim();
  return { values, current: options.find(({ name }) => name === current) ?? null, unparsed };
}

function nameIn([, name = '']: RegExpExecArray): string {
  return name.toLowerCase();
}

/** A subcommand or subcommand group. Discord: "Application Command Option Type", 1 and 2. */
function isParent(option: Option): option is ParentOption {
  return option.type === 1 || option.type === 2;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');
}
