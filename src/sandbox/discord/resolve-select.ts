import { optionType } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import type { Select } from './message-schema.ts';
import { RejectedByClientError } from './resolve-command.ts';
import { type Asker, type Resolved, resolvedIn } from './resolved.ts';

/** Discord: "Component Types". */
export const selectType = { string: 3, user: 5, role: 6, mentionable: 7, channel: 8 } as const;

/** The type of option that names the same kind of thing. */
const namedAs: Readonly<Record<number, number>> = {
  [selectType.user]: optionType.user,
  [selectType.role]: optionType.role,
  [selectType.mentionable]: optionType.mentionable,
  [selectType.channel]: optionType.channel,
};

/** What a member picked, checked as the client checks it, and what stands behind the ids. @throws RefusedByClient */
export function resolveSelection(
  asker: Asker,
  select: Select,
  values: readonly string[],
  fewest: number = select.min_values ?? 1,
): { readonly values: readonly string[]; readonly resolved: Resolved } {
  const most = select.max_values ?? 1;
  if (values.length < fewest || values.length > most) {
    throw new RejectedByClientError('picked_too_many_or_few', `From ${fewest} to ${most} can be picked`);
  }
  if (new Set(values).size < values.length)
    throw new RejectedByClientError('picked_twice', 'Nothing can be picked twice');
  const stranger = values.find((value) => !isOffered(asker.world, select, value));
  if (stranger !== undefined) throw new RejectedByClientError('not_offered', 'The select does not offer that');
  const type = namedAs[select.type];
  return {
    values,
    resolved:
      type === undefined
        ? {}
        : resolvedIn(
            asker,
            values.map((id) => ({ type, id })),
          ),
  };
}

function isOffered(world: DiscordState, select: Select, value: string): boolean {
  const isUser = world.user(value) !== undefined;
  const isRole = world.roles.some(({ id }) => id === value);
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
      return world.channels.get(value)?.type === 0;
  }
}
