import { z } from 'zod';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { readVersion } from '../../platform/version.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import { type CheckedInvite, discordOrigin, inviteOf, readBotInvite, readInviteCode, serverInvite } from './invite.ts';

/** The invites of listings at Discord. */
export interface DiscordInvites {
  /** Checks that what an owner has entered leads to this server or bot. @returns the address to store */
  check(listing: Pick<StoredListing, 'id' | 'kind'>, text: string): Promise<CheckedInvite>;
  /** Where the button "Join" or "Add" of a listing leads; null without an invite. */
  linkOf(listing: Pick<StoredListing, 'id' | 'kind' | 'invite'>): string | null;
}

/** For one request (ms). */
const timeoutMs = 8 * second;

/** Discord: "Get Invite". Without a guild it is an invite to a group of people. */
const inviteResponse = z.object({
  guild: z.object({ id: z.string() }).nullish(),
  expires_at: z.string().nullish(),
});

/** Discord: "User Agent". Requests with that of a program in general are rejected at times. */
const userAgent = `DiscordBot (https://github.com/tallyhook/tallyhook, ${readVersion()})`;

/** @param options.apiUrl of Discord, without the version. Called for each request. */
export function createDiscordInvites({ apiUrl, log }: { readonly apiUrl: () => string; readonly log: Log }) {
  async function checkServerInvite(guildId: string, text: string): Promise<CheckedInvite> {
    const code = readInviteCode(text);
    if (code === null) return { problem: 'malformed' };
    const answer = await ask(`${apiUrl()}/v10/invites/${code}`);
    if (answer === 404) return { problem: 'unknown' };
    if (answer === 429) return { problem: 'limited' };
    const found = inviteResponse.safeParse(answer);
    if (!found.success) {
      log.warn({ reason: typeof answer === 'object' ? 'unexpected response' : answer }, 'an invite was not checked');
      return { problem: 'unavailable' };
    }
    if (found.data.guild?.id !== guildId) return { problem: 'other-server' };
    return found.data.expires_at ? { problem: 'expires' } : { invite: serverInvite(code) };
  }

  return {
    async check({ id, kind }, text) {
      return kind === 'server' ? checkServerInvite(id, text) : readBotInvite(text, id);
    },
    linkOf(listing) {
      const invite = inviteOf(listing);
      // With another API than Discord's, such as that of the sandbox, the page is there as well.
      return invite && apiUrl().replace(/\/api$/, '') + invite.slice(discordOrigin.length);
    },
  } satisfies DiscordInvites;
}

/** The body of a response as parsed JSON; the status of an error; or the reason why there is no response. */
async function ask(url: string): Promise<unknown> {
  try {
    const headers = { Accept: 'application/json', 'User-Agent': userAgent };
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    return response.ok ? await response.json() : response.status;
  } catch (error) {
    return messageOf(error);
  }
}
