import type { ValueOption } from '../../discord/command-schema.ts';
import { defaultLocale, findLocalized, type Locale } from '../../discord/locales.ts';
import type { State } from './store.ts';
import type { CommandDefinition } from './typed-line.ts';

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
