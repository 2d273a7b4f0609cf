import type { ValueOption } from '../../discord/command-schema.ts';
import type { State } from './store.ts';
import type { ApplicationCommand } from './typed-line.ts';

export type Value = string | number | boolean;

/** What can be typed: a part of what the page knows. */
export interface KnownValues {
  readonly commands: readonly ApplicationCommand[];
  readonly members: readonly Pick<State['members'][number], 'id' | 'name' | 'username'>[];
  readonly channels: readonly Pick<State['channels'][number], 'id' | 'name' | 'with'>[];
  readonly roles: readonly Pick<State['roles'][number], 'id' | 'name'>[];
  /** What the bot offered for options that it completes: values by `option:text`. */
  readonly completed?: ReadonlyMap<string, Value>;
}

/** Discord: "Application Command Option Type". */
const type = { integer: 4, boolean: 5, user: 6, channel: 7, role: 8, number: 10 };

/** The values that can be picked for an option, and what else they are called. */
export function choicesOf(option: ValueOption, known: KnownValues): readonly { text: string; also: string }[] {
  const { members, channels, roles } = known;
  if (option.choices?.length) return option.choices.map(({ name }) => ({ text: name, also: '' }));
  switch (option.type) {
    case type.user:
      return members.map(({ name, username }) => ({ text: `@${name}`, also: username }));
    case type.channel:
      return channels.filter((channel) => channel.with === null).map(({ name }) => ({ text: `#${name}`, also: '' }));
    case type.role:
      return roles.map(({ name }) => ({ text: `@${name.replace(/^@/, '')}`, also: '' }));
    case type.boolean:
      return ['true', 'false'].map((text) => ({ text, also: '' }));
    default:
      return [];
  }
}

/** What a typed text means for an option; undefined where it cannot be that. */
export function typedValue(option: ValueOption, text: string, known: KnownValues): Value | undefined {
  const wanted = text.toLowerCase();
  const offered = option.autocomplete ? known.completed?.get(`${option.name}:${wanted}`) : undefined;
  if (offered !== undefined) return offered;
  if (option.choices?.length) {
    return option.choices.find(({ name, value }) => name.toLowerCase() === wanted || String(value) === text)?.value;
  }
  switch (option.type) {
    case type.integer:
    case type.number:
      return numberWithin(option, Number(text));
    case type.boolean:
      return ['true', 'false'].includes(wanted) ? wanted === 'true' : undefined;
    case type.user:
      return idOf(known.members, wanted);
    case type.channel:
      return idOf(known.channels, wanted);
    case type.role:
      return idOf(known.roles, wanted);
    default:
      return text;
  }
}

/** By name, user name or id, as a mention or not. */
function idOf(named: readonly { id: string; name: string; username?: string }[], wanted: string): string | undefined {
  const word = wanted.replace(/^<?[@#][!&]?/, '').replace(/>$/, '');
  return named.find(({ id, name, username }) => [name, username, id].some((each) => each?.toLowerCase() === word))?.id;
}

function numberWithin({ type: kind, min_value, max_value }: ValueOption, value: number): number | undefined {
  const fits = kind === type.integer ? Number.isSafeInteger(value) : Number.isFinite(value);
  return fits && value >= (min_value ?? -Infinity) && value <= (max_value ?? Infinity) ? value : undefined;
}
