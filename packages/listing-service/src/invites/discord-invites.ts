import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { readVersion } from '@tallyhook/platform/version';
import { z } from 'zod';
import type { DueInvite } from '../storage/listings/invite-checks.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import type { LostInvite } from '../storage/tables.ts';

/** Discord, as people open it. Invites are stored as addresses of this origin. */
const discordOrigin = 'https://discord.com';

/**
 * Why an invite is not accepted. `malformed`: it is none. `unknown`: it has ended, or never was. `expires`: it will end.
 * `limited`, `unavailable`: Discord could not be asked, so it is not known whose it is.
 */
type InviteProblem = 'malformed' | 'unknown' | 'expires' | 'other-server' | 'other-bot' | 'limited' | 'unavailable';

type CheckedInvite = { readonly invite: string } | { readonly problem: InviteProblem };

/** The code of an invite to a server, as `discord.gg/CODE` or `discord.com/invite/CODE`; null for anything else. */
export function readInviteCode(text: string): string | null {
  const invite = /^(?:https?:\/\/)?(?:www\.)?(?:discord\.gg|discord\.com\/invite)\/([\w-]{2,64})\/?(?:\?[\w=&-]*)?$/i;
  return invite.exec(text)?.[1] ?? null;
}

export function serverInvite(code: string): string {
  return `${discordOrigin}/invite/${code}`;
}

/** Scopes in the invite of a bot. Others, and where OAuth2 would lead to, are not part of it. */
const botScopes = ['bot', 'applications.commands'];

/** The address by which a bot is added, as Discord's developer portal generates it, with its permissions. */
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
  return `${discordOrigin}/oauth2/authorize?${query.toString()}`;
}

type Invited = Pick<StoredListing, 'id' | 'kind' | 'invite'>;

/** The address by which members join a server or add a bot; for a bot there is one without its owner, too. */
function inviteOf({ id, kind, invite }: Invited) {
  return invite ?? (kind === 'bot' ? botInvite(id, botScopes, null) : null);
}

export type DiscordInvites = ReturnType<typeof createDiscordInvites>;

/** For one request (ms). */
const timeoutMs = 8 * second;

/** Discord: "Get Invite". Without a guild it is an invite to a group of people. */
const inviteResponse = z.object({
  guild: z.object({ id: z.string() }).nullish(),
  expires_at: z.string().nullish(),
  // With `with_counts`.
  approximate_member_count: z.number().int().min(0).nullish(),
  approximate_presence_count: z.number().int().min(0).nullish(),
});

/**
 * The numbers of members of an invite's server, as Discord counts them, or the reason why they are not known.
 * `retryAfter`: the header `Retry-After` of its response.
 */
export type InviteReading =
  | { readonly counts: { readonly members: number; readonly online: number } }
  | { readonly problem: LostInvite }
  | { readonly unavailable: string; readonly retryAfter: string | null };

/** Discord: "User Agent". Requests with that of a program in general are rejected at times. */
const userAgent = `DiscordBot (https://github.com/tallyhook/tallyhook, ${readVersion()})`;

/** @param options.apiUrl of Discord, without the version. Called for each request. */
export function createDiscordInvites({ apiUrl, log }: { readonly apiUrl: () => string; readonly log: Log }) {
  async function checkServerInvite(guildId: string, text: string): Promise<CheckedInvite> {
    const code = readInviteCode(text);
    if (code === null) return { problem: 'malformed' };
    const answer = await ask(`${apiUrl()}/v10/invites/${code}`);
    if ('invite' in answer) {
      const { guild, expires_at: expiresAt } = answer.invite;
      if (guild?.id !== guildId) return { problem: 'other-server' };
      return expiresAt ? { problem: 'expires' } : { invite: serverInvite(code) };
    }
    if (answer.status === 404) return { problem: 'unknown' };
    if (answer.status === 429) return { problem: 'limited' };
    log.warn({ reason: answer.status ?? answer.reason }, 'an invite was not checked');
    return { problem: 'unavailable' };
  }

  // With another API than Discord's, such as that of the sandbox, the pages are there as well.
  const pageAt = (path: string) => apiUrl().replace(/\/api$/, '') + path;

  return {
    /** Checks that what an owner has entered leads to this server or bot. @returns the address to store */
    async check({ id, kind }: Pick<StoredListing, 'id' | 'kind'>, text: string): Promise<CheckedInvite> {
      return kind === 'server' ? checkServerInvite(id, text) : readBotInvite(text, id);
    },
    /** Counts the members of a server by its invite, as it is stored. */
    async read({ id, invite }: Pick<DueInvite, 'id' | 'invite'>, signal: AbortSignal): Promise<InviteReading> {
      const answer = await ask(`${apiUrl()}/v10/invites/${readInviteCode(invite)}?with_counts=true`, signal);
      if (!('invite' in answer)) {
        const { status, reason, retryAfter } = answer;
        return status === 404 ? { problem: 'unknown' } : { unavailable: reason, retryAfter };
      }
      const { guild, approximate_member_count: members, approximate_presence_count: online } = answer.invite;
      if (guild?.id !== id) return { problem: 'other-server' };
      if (members == null || online == null) return { unavailable: 'no counts', retryAfter: null };
      return { counts: { members, online } };
    },
    /** Where the button "Join" or "Add" of a listing leads; null without an invite. */
    linkOf(listing: Invited): string | null {
      const invite = inviteOf(listing);
      return invite && pageAt(invite.slice(discordOrigin.length));
    },
    /** Where its members are in Discord: in the server, or for a bot wherever they were last. */
    discordOf: ({ id, kind }: Pick<Invited, 'id' | 'kind'>) => pageAt(`/channels/${kind === 'server' ? id : '@me'}`),
  };
}

type Answer =
  | { readonly invite: z.infer<typeof inviteResponse> }
  /** `status` is null without a response that can be understood. */
  | { readonly status: number | null; readonly reason: string; readonly retryAfter: string | null };

async function ask(url: string, signal?: AbortSignal): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { Accept: 'application/json', 'User-Agent': userAgent };
    const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const response = await fetch(url, { headers, redirect: 'error', signal: ended });
    const { status } = response;
    if (!response.ok) return { status, reason: `status ${status}`, retryAfter: response.headers.get('retry-after') };
    const invite = inviteResponse.safeParse(await response.json());
    return invite.success ? { invite: invite.data } : { ...noAnswer, reason: 'unexpected response' };
  } catch (error) {
    return { ...noAnswer, reason: messageOf(error) };
  }
}

const noAnswer = { status: null, retryAfter: null };
