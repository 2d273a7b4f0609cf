import { optionType } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import type { Select } from './message-schema.ts';
import { RejectedByClientError } from './resolve-command.ts';
import { type Actor, type Resolved, resolveReferences } from './resolved.ts';

/** Discord: "Component Types". */
export const selectType = { string: 3, user: 5, role: 6, mentionable: 7, channel: 8 } as const;

/** The type of option that names the same kind of thing. */
const optionTypeOf: Readonly<Record<number, number>> = {
  [selectType.user]: optionType.user,
  [selectType.role]: optionType.role,
  [selectType.mentionable]: optionType.mentionable,
  [selectType.channel]: optionType.channel,
};

/** What a member picked, checked as the client checks it, and what stands behind the ids. @throws RefusedByClient */
export function resolveSelection(
  actor: Actor,
  select: Select,
  values: readonly string[],
  minValues: number = select.min_values ?? 1,
): { readonly values: readonly string[]; readonly resolved: Resolved } {
  const maxValues = select.max_values ?? 1;
  if (values.length < minValues || values.length > maxValues) {
    throw new RejectedByClientError('picked_too_many_or_few', `From ${minValues} to ${maxValues} can be picked`);
  }
  if (new Set(values).size < values.length)
    throw new RejectedByClientError('picked_twice', 'Nothing can be picked twice');
  const invalid = values.find((value) => !isOffered(actor.state, select, value));
  if (invalid !== undefined) throw new RejectedByClientError('not_offered', 'The select does not offer that');
  const type = optionTypeOf[select.type];
  return {
    values,
    resolved:
      type === undefined
        ? {}
        : resolveReferences(
            actor,
            values.map((id) => ({ type, id })),
          ),
  };
}

function isOffered(state: DiscordState, select: Select, value: string): boolean {
  const isUser = state.user(value) !== undefined;
  const isRole = state.roles.some(({ id }) => id === value);
  switch (select.type) {
    case selectType.string:
      return select.options.some((option) => option.value === value);
    case selectType.user:
      return isUser;
    case selectType.role:
      return isRole;
    case selectType.mentionable:
      return isUser || isRole;
    default:
      return state.channels.get(value)?.type === 0;
  }
}
