import { createOAuthClient } from '@tallyhook/platform/discord-oauth/oauth-client';

const scope = 'identify role_connections.write';

/** What Discord shows of a member for linked roles. Discord: "Application Role Connection Object". */
export interface RoleConnectionBody {
  /** At most 50 characters. */
  readonly platform_name: string;
  /** By the keys of the metadata records; numbers, booleans (0 or 1) and times as texts. */
  readonly metadata: Readonly<Record<string, string>>;
}

export type DiscordOAuth = ReturnType<typeof createDiscordOAuth>;

/**
 * Discord's OAuth2 and what linked roles do with a member's token. Methods reject with `OAuthError`.
 * @param options.apiUrl without the version: `https://discord.com/api`
 * @param options.applicationId asked for with each request; may reject
 * @param options.redirectUrl registered in the developer portal
 */
export function createDiscordOAuth(options: {
  readonly apiUrl: string;
  readonly applicationId: () => Promise<string>;
  readonly clientSecret: string;
  readonly redirectUrl: string;
}) {
  const { apiUrl, applicationId } = options;
  const client = createOAuthClient({ ...options, apiUrl: () => apiUrl });
  const connectionPath = async () => `/users/@me/applications/${await applicationId()}/role-connection`;

  return {
    /** The page on which Discord asks the member. @param verifier of the PKCE, sent by {@link exchangeCode} later */
    authorizeUrl: (request: { readonly state: string; readonly verifier: string }) =>
      client.authorizeUrl({ scope, ...request }),
    exchangeCode: (code: string, verifier: string) => client.exchangeCode({ scope, code, verifier }),
    /** The refresh token cannot be used again. */
    refresh: (refreshToken: string) => client.refresh({ scope, refreshToken }),
    revoke: client.revoke,
    currentMember: client.currentUser,
    async saveRoleConnection(accessToken: string, body: RoleConnectionBody): Promise<void> {
      const path = await connectionPath();
      await client.send('role connection', accessToken, { method: 'put', path, json: body });
    },
    async deleteRoleConnection(accessToken: string): Promise<void> {
      await client.send('role connection', accessToken, { method: 'delete', path: await connectionPath() });
    },
  };
}
