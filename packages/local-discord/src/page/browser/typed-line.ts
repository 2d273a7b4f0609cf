import type { CommandSchema, Option, ValueOption } from '../../command-schema.ts';
import { defaultLocale, findLocalized, type Locale } from '../../locales.ts';
import type { State } from './store.ts';

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
      /** The command including subcommands, as in `role add`. */
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

export type Value = string | number | boolean;

/** The values that command options can refer to. */
export interface OptionContext {
  readonly commands: readonly CommandDefinition[];
  readonly members: readonly Pick<State['members'][number], 'id' | 'name' | 'username'>[];
  readonly channels: readonly Pick<State['channels'][number], 'id' | 'name' | 'kind'>[];
  readonly roles: readonly Pick<State['roles'][number], 'id' | 'name'>[];
  /** Autocomplete choices of the bot: values by `option:text`. */
  readonly completed?: ReadonlyMap<string, Value>;
  /** The language of the acting member's client (default: English). */
  readonly locale?: Locale;
}

/** Discord: "Application Command Option Type". */
const type = { integer: 4, boolean: 5, user: 6, channel: 7, role: 8, number: 10 };

/** The suggested values of an option, with their aliases. */
export function optionChoices(option: ValueOption, context: OptionContext): readonly { text: string; alias: string }[] {
  const { members, channels, roles } = context;
  if (option.choices?.length) return option.choices.map((choice) => ({ text: choiceName(choice, context), alias: '' }));
  switch (option.type) {
    case type.user:
      return members.map(({ name, username }) => ({ text: `@${name}`, alias: username }));
    case type.channel:
      return channels.filter(({ kind }) => kind === 'guild').map(({ name }) => ({ text: `#${name}`, alias: '' }));
    case type.role:
      return roles.map(({ name }) => ({ text: `@${name.replace(/^@/, '')}`, alias: '' }));
    case type.boolean:
      return ['true', 'false'].map((text) => ({ text, alias: '' }));
    default:
      return [];
  }
}

type OptionChoice = NonNullable<ValueOption['choices']>[number];

function choiceName({ name, name_localizations }: OptionChoice, { locale = defaultLocale }: OptionContext): string {
  return findLocalized(name_localizations, locale) ?? name;
}

/** Parses the text of an option; undefined if it is invalid. */
export function parseValue(option: ValueOption, text: string, context: OptionContext): Value | undefined {
  const normalized = text.toLowerCase();
  const completion = option.autocomplete ? context.completed?.get(`${option.name}:${normalized}`) : undefined;
  if (completion !== undefined) return completion;
  if (option.choices?.length) {
    const names = (choice: OptionChoice) =>
      [choiceName(choice, context), choice.name].map((name) => name.toLowerCase());
    return option.choices.find((choice) => names(choice).includes(normalized) || String(choice.value) === text)?.value;
  }
  switch (option.type) {
    case type.integer:
    case type.number:
      return numberWithin(option, Number(text));
    case type.boolean:
      return ['true', 'false'].includes(normalized) ? normalized === 'true' : undefined;
    case type.user:
      return findId(context.members, normalized);
    case type.channel:
      return findId(context.channels, normalized);
    case type.role:
      return findId(context.roles, normalized);
    default:
      return text;
  }
}

/** Finds an id by name, user name or id, with or without mention syntax. */
function findId(
  items: readonly { id: string; name: string; username?: string }[],
  normalized: string,
): string | undefined {
  const text = normalized.replace(/^<?[@#][!&]?/, '').replace(/>$/, '');
  return items.find(({ id, name, username }) => [name, username, id].some((each) => each?.toLowerCase() === text))?.id;
}

function numberWithin({ type: kind, min_value, max_value }: ValueOption, value: number): number | undefined {
  const fits = kind === type.integer ? Number.isSafeInteger(value) : Number.isFinite(value);
  return fits && value >= (min_value ?? -Infinity) && value <= (max_value ?? Infinity) ? value : undefined;
}
