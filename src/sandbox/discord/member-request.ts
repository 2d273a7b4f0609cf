import { z } from 'zod';
import type { DiscordState } from './discord-state.ts';

const requestSchema = z.object({
  guild_id: z.string(),
  query: z.string().optional(),
  limit: z.int().optional(),
  user_ids: z.union([z.string(), z.array(z.string())]).optional(),
  nonce: z.string().optional(),
});

/** The chunk that responds to "Request Guild Members"; undefined if the request is invalid. */
export function findRequestedMembers(state: DiscordState, data: unknown) {
  const request = requestSchema.safeParse(data).data;
  if (request?.guild_id !== state.guildId) return undefined;
  const ids = request.user_ids === undefined ? undefined : [request.user_ids].flat();
  const matches = [...state.members.values()].filter(({ user }) =>
    ids === undefined ? user.username.startsWith(request.query ?? '') : ids.includes(user.id),
  );
  return {
    guild_id: state.guildId,
    members: request.limit ? matches.slice(0, request.limit) : matches,
    chunk_index: 0,
    chunk_count: 1,
    not_found: ids?.filter((id) => !state.members.has(id)) ?? [],
    ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
  };
}
