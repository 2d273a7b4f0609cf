import { optionType } from './command-schema.ts';
import type { Select } from './component-schema.ts';
import { RejectedByClientError } from './errors.ts';
import { type Actor, type Resolved, resolveReferences } from './resolved.ts';

/** Discord: "Component Types". */
export const selectType = { string: 3, user: 5, role: 6, mentionable: 7, channel: 8 } as const;

/** The command option type that refers to the same kind of object. */
const optionTypeOf: Readonly<Record<number, number>> = {
  [selectType.user]: optionType.user,
  [selectType.role]: optionType.role,
  [selectType.mentionable]: optionType.mentionable,
  [selectType.channel]: optionType.channel,
};

/** Checks a member's selection and resolves its ids. @throws RejectedByClientError */
export function resolveSelection(
  actor: Actor,
  select: Select,
  values: readonly string[],
  minValues: number = select.min_values ?? 1,
): { readonly values: readonly string[]; readonly resolved: Resolved } {
  const maxValues = select.max_values ?? 1;
  if (values.length < minValues || values.length > maxValues) {
    throw new RejectedByClientError(
      'picked_too_many_or_few',
      `The select requires ${minValues} to ${maxValues} values`,
    );
  }
  if (new Set(values).size < values.length)
    throw new RejectedByClientError('picked_twice', 'A value is selected twice');
  const invalid = values.find((value) => !isOffered(actor, select, value));
  if (invalid !== undefined) throw new RejectedByClientError('not_offered', 'The select does not have this option');
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

/** In direct messages, the client offers the two users and nothing of the guild. */
function isOffered({ directory, userId, inGuild }: Actor, select: Select, value: string): boolean {
  const isUser = inGuild ? directory.members.has(value) : [userId, directory.bot.id].includes(value);
  const isRole = inGuild && directory.roles.some(({ id }) => id === value);
  switch (select.type) {
    case selectType.string:
      return select.options.some((option) => option.value === value);
    case selectType.user:
      return isUser;
    case selectType.role:
      return isRole;
    case selectType.mentionable:
      return isUser || isRole;
    default: {
      const channelType = directory.channels.get(value)?.type;
      const isAllowed = !select.channel_types?.length || select.channel_types.includes(0);
      return inGuild && channelType === 0 && isAllowed;
    }
  }
}
