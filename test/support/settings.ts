import { premiumSecret, voteSecret } from './listings.ts';

/** A Discord that refuses every connection. */
export const unreachableDiscord = { apiUrl: 'http://127.0.0.1:9/api', token: 'token-for-tests' };

/** Environment variables of a program with this Discord and an unreachable listing service. */
export function settings(discord: {
  readonly apiUrl: string;
  readonly token: string;
  readonly channels?: { readonly announcements: string; readonly premium: string };
}): Record<string, string> {
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
    LOOKUP_SERVER_KEY: 'server-key-for-tests',
    VOTE_WEBHOOK_SECRET: voteSecret,
    PREMIUM_WEBHOOK_SECRET: premiumSecret,
    OWNER_TOKEN: 'owner-token',
    PORT: '0',
    ...(discord.channels && {
      ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
      PREMIUM_CHANNEL_ID: discord.channels.premium,
    }),
  };
}

/** Sends a GET request to the owner API of a program with these settings. */
export async function fetchOwnerApi<Answer>(url: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}/owner/api${path}`, { headers: { authorization: 'Bearer owner-token' } });
  return (await response.json()) as Answer;
}
