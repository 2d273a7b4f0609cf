import type { Clock } from '@tallyhook/platform/clock';
import { createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthClient, readManagedGuilds } from '@tallyhook/platform/discord-oauth/oauth-client';
import type { ServiceMember } from '../storage/members/members.ts';
import type { ProvenGuild } from '../storage/members/proven-guilds.ts';

/** The service's application at Discord, with the redirect URL `https://…/sign-in/discord/callback`. */
export interface DiscordApplication {
  readonly clientId: string;
  /** "Client Secret" on the page "OAuth2" of the developer portal. */
  readonly clientSecret: string;
  /**
   * The address of Discord's API without the version (default: `https://discord.com/api`). A function is called for
   * each request.
   */
  readonly apiUrl?: string | (() => string);
}

/** The API of Discord, without the version. */
export function discordApi({ apiUrl = 'https://discord.com/api' }: Pick<DiscordApplication, 'apiUrl'>): () => string {
  return typeof apiUrl === 'string' ? () => apiUrl : apiUrl;
}

/** The consent that a member is asked for: to sign in, or also to prove which servers are the member's. */
export type Consent = 'account' | 'servers';

const scopes: Readonly<Record<Consent, string>> = { account: 'identify', servers: 'identify guilds' };

/** Where the developer portal allows Discord to send members. */
export const callbackPath = '/sign-in/discord/callback';

/** Who has given the permission. `guilds` is null for the consent `account`. */
interface DiscordAccount {
  readonly member: ServiceMember;
  readonly guilds: readonly ProvenGuild[] | null;
}

/** The OAuth2 client that signs members in with Discord. */
export type DiscordSignIn = ReturnType<typeof createDiscordSignIn>;

/**
 * @param origin the public URL of the service, without a trailing slash
 * @param key random; the same in all processes of the service
 */
export function createDiscordSignIn(
  application: DiscordApplication,
  { origin, key, clock }: { readonly origin: string; readonly key: string; readonly clock: Clock },
) {
  const client = new OAuthClient({
    apiUrl: discordApi(application),
    applicationId: () => Promise.resolve(application.clientId),
    clientSecret: application.clientSecret,
    redirectUrl: origin + callbackPath,
  });

  return {
    attempts: createAuthorizationAttempts({
      secret: key,
      purpose: 'sign-in',
      cookieName: 'tallyhook_sign_in',
      path: '/',
      secure: origin.startsWith('https:'),
      clock,
    }),
    consentUrl: (consent: Consent, attempt: { readonly state: string; readonly verifier: string }) =>
      client.authorizeUrl({ scope: scopes[consent], ...attempt }),
    /** Reads the account once, with a token that is revoked afterwards and stored nowhere. Rejects with `OAuthError`. */
    readAccount: (consent: Consent, code: string, verifier: string): Promise<DiscordAccount> =>
      client.useOnce({ scope: scopes[consent], code, verifier }, clock, async (token) => {
        const { id, name } = await client.currentUser(token);
        const guilds = consent === 'servers' ? await readGuilds(client, token) : null;
        return { member: { userId: id, username: name }, guilds };
      }),
  };
}

/** Discord: "Image Formatting". */
async function readGuilds(client: OAuthClient, accessToken: string): Promise<ProvenGuild[]> {
  const guilds = await readManagedGuilds(client, accessToken);
  return guilds.map((guild) => ({
    id: guild.id,
    name: guild.name,
    iconUrl: guild.icon ? `https://cdn.discordapp.com/icons/${guild.id}/${guild.icon}.png` : null,
    isOwner: guild.owner,
    members: guild.approximate_member_count ?? null,
    online: guild.approximate_presence_count ?? null,
  }));
}
