import type { Listing } from '../listing/listing.ts';

/** Discord, as people open it. Invites are stored as addresses of this origin. */
export const discordOrigin = 'https://discord.com';

/**
 * Why an invite is not accepted. `malformed`: it is none. `unknown`: it has ended, or never was. `expires`: it will end.
 * `limited`, `unavailable`: Discord could not be asked, so it is not known whose it is.
 */
type InviteProblem = 'malformed' | 'unknown' | 'expires' | 'other-server' | 'other-bot' | 'limited' | 'unavailable';

export type CheckedInvite = { readonly invite: string } | { readonly problem: InviteProblem };

/** The code of an invite to a server, as `discord.gg/CODE` or `discord.com/invite/CODE`; null for anything else. */
export function readInviteCode(text: string): string | null {
  const invite = /^(?:https?:\/\/)?(?:www\.)?(?:discord\.gg|discord\.com\/invite)\/([\w-]{2,64})\/?(?:\?[\w=&-]*)?$/i;
  return invite.exec(text)?.[1] ?? null;
}

export function serverInvite(code: string): string {
  return `${discordOrigin}/invite/${code}`;
}

/** What a bot asks for when it is added. Other scopes, and where OAuth2 would lead to, are not part of an invite. */
const botScopes = ['bot', 'applications.commands'];

/**
 * The address by which a bot is added, as Discord's developer portal generates it, with its permissions.
 */
export function readBotInvite(text: string, botId: string): CheckedInvite {
  const url = URL.parse(text);
  const isAuthorization = url !== null && /^(?:\/api)?\/oauth2\/authorize\/?$/.test(url.pathname);
  if (!isAuthorization || url.origin !== discordOrigin) return { problem: 'malformed' };
  if (url.searchParams.get('client_id') !== botId) return { problem: 'other-bot' };
  const scopes = (url.searchParams.get('scope') ?? '').split(' ').filter((scope) => botScopes.includes(scope));
  const permissions = url.searchParams.get('permissions') ?? '';
  const granted = /^\d{1,20}$/.test(permissions) ? permissions : null;
  return { invite: botInvite(botId, scopes.length > 0 ? scopes : botScopes, granted) };
}

function botInvite(botId: string, scopes: readonly string[], permissions: string | null): string {
  const query = new URLSearchParams({ client_id: botId, scope: scopes.join(' ') });
  if (permissions !== null) query.set('permissions', permissions);
  return `${discordOrigin}/oauth2/authorize?${query}`;
}

/** The address by which members join a server or add a bot; for a bot there is one without its owner, too. */
export function inviteOf({ id, kind, invite }: Pick<Listing, 'id' | 'kind'> & { readonly invite: string | null }) {
  return invite ?? (kind === 'bot' ? botInvite(id, botScopes, null) : null);
}
