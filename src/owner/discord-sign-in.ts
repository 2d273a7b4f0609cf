import type { Clock } from '@tallyhook/platform/clock';
import { createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { createOAuthClient, readManagedGuilds } from '@tallyhook/platform/discord-oauth/oauth-client';
import { second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { memoizedApplicationId } from '../discord/inspection.ts';
import type { DiscordRest } from '../discord/rest.ts';

/**
 * `guilds` is read once, so that the member can choose among the servers; who manages a server is asked through the bot
 * after that. So no token of a member is stored.
 */
const scope = 'identify guilds';

/** Where the developer portal allows Discord to send members, below `PUBLIC_URL`. */
export const signInCallback = 'discord-callback';

/** How long a page may wait for the revocation, which it does not need (ms). */
const revocationTimeoutMs = 2 * second;

export type DiscordSignIn = ReturnType<typeof createDiscordSignIn>;

/** Sign-in of those who manage a server. Methods reject with `OAuthError`. */
export function createDiscordSignIn(options: {
  readonly clientSecret: string;
  readonly publicUrl: string;
  readonly apiUrl: string;
  readonly rest: DiscordRest;
  readonly clock: Clock;
}) {
  const { clientSecret, publicUrl, apiUrl, rest, clock } = options;
  const url = `${publicUrl}/owner`;
  const { pathname, protocol } = new URL(url);
  const client = createOAuthClient({
    apiUrl: () => apiUrl,
    applicationId: memoizedApplicationId(rest),
    clientSecret,
    redirectUrl: `${url}/${signInCallback}`,
  });

  return {
    clientSecret,
    /** The public URL of the console, without a trailing slash: there is the cookie of an attempt. */
    url,
    attempts: createAuthorizationAttempts({
      secret: clientSecret,
      purpose: 'owner sign-in',
      cookieName: 'tallyhook_owner_sign_in',
      path: `${pathname}/`,
      secure: protocol === 'https:',
      clock,
    }),
    /** Discord's page on which the member gives the permission. */
    consentUrl: (attempt: { readonly state: string; readonly verifier: string }) =>
      client.authorizeUrl({ scope, ...attempt }),
    /** Who has given the permission, and the servers that the member may manage. The token is revoked. */
    async readMember(code: string, verifier: string) {
      const { accessToken } = await client.exchangeCode({ scope, code, verifier });
      try {
        const [{ id: userId }, guilds] = await Promise.all([
          client.currentUser(accessToken),
          readManagedGuilds(client, accessToken),
        ]);
        return { userId, guildIds: guilds.map(({ id }) => id) };
      } finally {
        await settleWithin(revocationTimeoutMs, clock, client.revoke(accessToken));
      }
    },
  };
}
