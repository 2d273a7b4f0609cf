import { VerificationError, verify } from 'tallyhook/verify';

/** The settings and secrets of the worker. */
export interface Environment {
  readonly VOTE_SECRET: string;
  readonly DISCORD_TOKEN: string;
  readonly GUILD_ID: string;
  readonly ROLE_ID: string;
  readonly DISCORD_API_URL?: string;
}

export default {
  /** Gives every voter a role. */
  async fetch(request: Request, environment: Environment): Promise<Response> {
    try {
      const event = await verify(request, environment.VOTE_SECRET);
      // Not for a test from the dashboard, whose type is "test".
      if (event.type === 'vote') await giveRole(event.userId, environment);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof VerificationError) return new Response(error.message, { status: error.status });
      console.error(error);
      // The service sends the vote again.
      return new Response('The role could not be given.', { status: 503 });
    }
  },
};

/** Can be repeated, as the service repeats deliveries: a member has a role once. */
async function giveRole(userId: string, environment: Environment): Promise<void> {
  const { GUILD_ID, ROLE_ID, DISCORD_TOKEN, DISCORD_API_URL = 'https://discord.com/api' } = environment;
  const response = await fetch(`${DISCORD_API_URL}/v10/guilds/${GUILD_ID}/members/${userId}/roles/${ROLE_ID}`, {
    method: 'PUT',
    headers: { authorization: `Bot ${DISCORD_TOKEN}`, 'user-agent': 'DiscordBot (https://example.com, 1.0)' },
  });
  // 404: the voter is not a member of the server.
  if (!response.ok && response.status !== 404) throw new Error(`Discord responded with ${response.status}.`);
}
