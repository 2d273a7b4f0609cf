import type { ValueOption } from '../../command-schema.ts';
import { defaultLocale, findLocalized, type Locale } from '../../locales.ts';
import {
  type CommandDefinition,
  type OptionContext,
  optionChoices,
  parseTypedLine,
  parseValue,
  type TypedLine,
  type Value,
} from './typed-line.ts';

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** The complete line after accepting the suggestion. */
  readonly insert: string;
  /** True if it is highlighted initially, so that Enter accepts it. */
  readonly isCertain: boolean;
}

/** A suggestion; names that have been completed are certain. */
function suggestion(label: string, hint: string, insert: string, isCertain = true): Suggestion {
  return { label, hint, insert, isCertain };
}

type WithOptions = Extract<TypedLine, { stage: 'options' }>;

/** Maximum number of suggestions, as on Discord. */
const maxSuggestions = 25;

/** The suggestions for a line. */
export function suggest(line: string, context: OptionContext): readonly Suggestion[] {
  if (!line.startsWith('/')) return [];
  const typed = parseTypedLine(line, context.commands);
  const { locale = defaultLocale } = context;
  switch (typed.stage) {
    case 'command':
      return suggestNames(context.commands, typed.prefix, '/', locale);
    case 'subcommand':
      return suggestNames(typed.subcommands, typed.prefix, typed.head, locale);
    case 'options':
      return typed.current === null ? suggestOptions(typed, locale) : suggestValues(typed, typed.current, context);
  }
}

/** The bot's autocomplete choices for the current option as suggestions. */
export function suggestCompletions(
  line: string,
  choices: readonly { readonly name: string }[],
  context: OptionContext,
): readonly Suggestion[] {
  const typed = parseTypedLine(line, context.commands);
  if (typed.stage !== 'options' || typed.current === null) return [];
  const lineStart = lineBefore(typed.current.name, typed);
  return choices.map(({ name }) => suggestion(name, '', `${lineStart}${name} `));
}

type Described = Pick<CommandDefinition, 'name' | 'description' | 'description_localizations'>;

function descriptionOf({ description, description_localizations }: Described, locale: Locale): string {
  return findLocalized(description_localizations, locale) ?? description;
}

function suggestNames(items: readonly Described[], prefix: string, head: string, locale: Locale): Suggestion[] {
  const sign = head === '/' ? '/' : '';
  return items
    .filter(({ name }) => name.startsWith(prefix.toLowerCase()))
    .map((item) => suggestion(sign + item.name, descriptionOf(item, locale), `${head}${item.name} `));
}

function suggestOptions({ options, values, head, unparsed: rest }: WithOptions, locale: Locale): Suggestion[] {
  const lineStart = head + formatValues(values);
  return options
    .filter(({ name }) => !values.has(name) && name.startsWith(rest.toLowerCase()))
    .map((option) => {
      const { name, required } = option;
      const hint = descriptionOf(option, locale) + (required ? ' (required)' : '');
      return suggestion(`${name}:`, hint, `${lineStart}${name}:`, Boolean(required) || rest !== '');
    });
}

function suggestValues(typed: WithOptions, current: ValueOption, context: OptionContext): Suggestion[] {
  const query = (typed.values.get(current.name) ?? '').toLowerCase().replace(/^[@#]/, '');
  const lineStart = lineBefore(current.name, typed);
  return optionChoices(current, context)
    .filter(({ text, alias }) => `${text}\n${alias}`.toLowerCase().includes(query))
    .slice(0, maxSuggestions)
    .map(({ text, alias }) => suggestion(text, alias, `${lineStart}${text} `));
}

/** The line up to the value of this option, with the other options before it. */
function lineBefore(name: string, { head, values }: WithOptions): string {
  return `${head}${formatValues([...values].filter(([other]) => other !== name))}${name}:`;
}

function formatValues(values: Iterable<readonly [string, string]>): string {
  return [...values].map(([name, text]) => `${name}:${text} `).join('');
}

type Options = Readonly<Record<string, Value>>;

/** The command that a line sends, or an error message. */
export function parseCommandLine(
  line: string,
  context: OptionContext,
): { name: string; options: Options } | { error: string } {
  if (!line.startsWith('/')) return { error: 'Only slash commands are supported. Type / to list them.' };
  const typed = parseTypedLine(line, context.commands);
  if (typed.stage === 'command') return { error: `Unknown command: /${typed.prefix}` };
  if (typed.stage === 'subcommand') {
    return { error: `Choose one of: ${typed.subcommands.map(({ name }) => name).join(', ')}` };
  }
  if (typed.unparsed !== '') {
    return { error: `Start with the name of an option, as in ${typed.options[0]?.name ?? 'option'}:${typed.unparsed}` };
  }
  const options: Record<string, Value> = {};
  for (const option of typed.options) {
    const text = typed.values.get(option.name) ?? '';
    if (text === '' && option.required) return { error: `${option.name} is required` };
    if (text === '') continue;
    const value = parseValue(option, text, context);
    if (value === undefined) return { error: `Invalid value for ${option.name}: “${text}”` };
    options[option.name] = value;
  }
  return { name: typed.name, options };
}

export interface AutocompleteRequest {
  readonly name: string;
  readonly options: Options;
  readonly focused: { readonly name: string; readonly value: string };
}

/** The autocomplete request for a line; null unless the current option has autocomplete. */
export function autocompleteRequest(line: string, context: OptionContext): AutocompleteRequest | null {
  const typed = line.startsWith('/') ? parseTypedLine(line, context.commands) : null;
  if (typed?.stage !== 'options' || !typed.current?.autocomplete) return null;
  const { name, options, current, values } = typed;
  const entries = options.flatMap((option) => {
    const text = option === current ? '' : (values.get(option.name) ?? '');
    const value = text === '' ? undefined : parseValue(option, text, context);
    return value === undefined ? [] : [[option.name, value] as const];
  });
  const focused = { name: current.name, value: values.get(current.name) ?? '' };
  return { name, options: Object.fromEntries(entries), focused };
}
