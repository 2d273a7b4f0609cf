import { z } from 'zod';
import type { DiscordState } from './discord-state.ts';

const requestForm = z.object({
  guild_id: z.string(),
  query: z.string().optional(),
  limit: z.int().optional(),
  user_ids: z.union([z.string(), z.array(z.string())]).optional(),
  nonce: z.string().optional(),
});

/** The one chunk that answers "Request Guild Members"; undefined when the request makes no sense. */
export function requestedMembers(world: DiscordState, data: unknown) {
  const asked = requestForm.safeParse(data).data;
  if (asked?.guild_id !== world.guildId) return undefined;
  const ids = asked.user_ids === undefined ? undefined : [asked.user_ids].flat();
  const wanted = [...world.members.values()].filter(({ user }) =>
    ids === undefined ? user.username.startsWith(asked.query ?? '') : ids.includes(user.id),
  );
  return {
    guild_id: world.guildId,
    members: asked.limit ? wanted.slice(0, asked.limit) : wanted,
    chunk_index: 0,
    chunk_count: 1,
    not_found: ids?.filter((id) => !world.members.has(id)) ?? [],
    ...(asked.nonce === undefined ? {} : { nonce: asked.nonce }),
  };
}
