import { z } from 'zod';
import { snowflakePattern } from '../snowflake.ts';
import type { OAuthClient } from './oauth-client.ts';
import { OAuthError } from './oauth-error.ts';

const count = z
  .int()
  .nonnegative()
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

const guildsResponse = z.array(
  z.object({
    id: z.string().regex(snowflakePattern),
    name: z.string(),
    icon: z.string().regex(/^\w+$/).nullish().catch(null),
    owner: z.boolean(),
    permissions: z.string().regex(/^\d{1,30}$/),
    approximate_member_count: count,
    approximate_presence_count: count,
  }),
);

/** A server of a member. The name is external text. Discord: "Get Current User Guilds". */
export type ManagedGuild = z.infer<typeof guildsResponse>[number];

/** "Administrator" and "Manage Server". Discord: "Permissions", bitwise permission flags. */
export const managingPermissions = (1n << 3n) | (1n << 5n);

/**
 * The servers that the member of a token owns or may manage: all of a member's servers, at most 200, fit into one
 * response. Needs the scope `guilds`. Rejects with {@link OAuthError}.
 */
export async function readManagedGuilds(
  client: Pick<OAuthClient, 'send'>,
  accessToken: string,
): Promise<readonly ManagedGuild[]> {
  const path = '/users/@me/guilds?with_counts=true';
  const guilds = guildsResponse.safeParse(await client.send('guilds', accessToken, { method: 'get', path }));
  if (!guilds.success) throw new OAuthError('rejected', 'guilds: unexpected response');
  return guilds.data.filter(({ owner, permissions }) => owner || (BigInt(permissions) & managingPermissions) !== 0n);
}
