import type { CommandSchema, Option, ValueOption } from '../../discord/command-schema.ts';

export type ApplicationCommand = Pick<CommandSchema, 'name' | 'description' | 'options'>;
type NestingOption = Exclude<Option, ValueOption>;

/** A line such as `/reviews sort:highest limit:5`, taken apart as far as it has been typed. */
export type TypedLine =
  /** The name of a command is being typed. */
  | { readonly stage: 'command'; readonly word: string }
  /** One of its subcommands is. */
  | { readonly stage: 'subcommand'; readonly head: string; readonly word: string; readonly nested: NestingOption[] }
  | ({
      readonly stage: 'options';
      /** The command with its subcommands, as in `vote trace`. */
      readonly name: string;
      /** What stands before the options. */
      readonly head: string;
      readonly options: readonly ValueOption[];
    } & TypedOptions);

interface TypedOptions {
  /** What was typed for each option, by its name. */
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value is being typed. */
  readonly open: ValueOption | null;
  /** What stands before the first option and belongs to none. */
  readonly rest: string;
}

export function readLine(line: string, commands: readonly ApplicationCommand[]): TypedLine {
  const [, word = '', after = ''] = /^\/(\S*)([\s\S]*)$/.exec(line) ?? [];
  const command = after === '' ? undefined : commands.find(({ name }) => name === word);
  if (command === undefined) return { stage: 'command', word };
  const path = [word];
  let options: readonly Option[] = command.options ?? [];
  let rest = after.trimStart();
  while (options.some(isNesting)) {
    const nested = options.filter(isNesting);
    const [, name = '', more = ''] = /^(\S*)(\s?[\s\S]*)$/.exec(rest) ?? [];
    const chosen = more === '' ? undefined : nested.find((option) => option.name === name);
    if (chosen === undefined) return { stage: 'subcommand', word: name, head: `/${path.join(' ')} `, nested };
    path.push(name);
    options = chosen.options ?? [];
    rest = more.trimStart();
  }
  const taking = options.filter((option): option is ValueOption => !isNesting(option));
  const name = path.join(' ');
  return { stage: 'options', name, head: `/${name} `, options: taking, ...readOptions(rest, taking) };
}

/** Splits `sort:highest limit:5` at the names of the options. */
function readOptions(text: string, options: readonly ValueOption[]): TypedOptions {
  const names = options.map(({ name }) => escaped(name)).join('|') || '(?!)';
  const marks = [...text.matchAll(new RegExp(`(?:^|\\s)(${names}):`, 'giu'))];
  const values = new Map<string, string>();
  for (const [index, mark] of marks.entries()) {
    const end = marks[index + 1]?.index ?? text.length;
    values.set(nameIn(mark), text.slice(mark.index + mark[0].length, end).trim());
  }
  const last = marks.at(-1);
  const open = last === undefined || /\s$/.test(text.trimStart()) ? null : nameIn(last);
  const rest = text.slice(0, marks[0]?.index ?? text.length).trim();
  return { values, open: options.find(({ name }) => name === open) ?? null, rest };
}

function nameIn([, name = '']: RegExpExecArray): string {
  return name.toLowerCase();
}

/** A subcommand or a group of them. Discord: "Application Command Option Type", 1 and 2. */
function isNesting(option: Option): option is NestingOption {
  return option.type === 1 || option.type === 2;
}

function escaped(text: string): string {
  return text.replaceAll(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');
}
