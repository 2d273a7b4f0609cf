import { describeDiscordError, tokenHint } from '../../discord/discord-errors.ts';
import { type BotIdentity, fetchGuildName } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/finding.ts';

/** Checks the bot token, and that the bot is in the guild of DISCORD_GUILD_ID. */
export async function checkDiscord(
  rest: DiscordRest,
  identity: Promise<BotIdentity>,
  guildId: string | null,
): Promise<Finding[]> {
  try {
    const { name, applicationId } = await identity;
    const tokenFinding = pass(`The bot token is valid, for the application "${name}" (${applicationId}).`);
    if (guildId === null) return [tokenFinding];
    return [tokenFinding, evaluateGuild(guildId, await fetchGuildName(rest, guildId))];
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

/** @param name null if the bot is not in the guild */
export function evaluateGuild(guildId: string, name: string | null): Finding {
  if (name !== null) return pass(`The bot is in the guild "${name}" (${guildId}).`);
  return fail(
    `The bot is not in the guild of DISCORD_GUILD_ID (${guildId}).`,
    'Invite it there (OAuth2 → URL Generator, scopes bot and applications.commands), or correct the id.',
  );
}

/** Evaluates an error of {@link DiscordRest}. */
export function evaluateDiscordError(error: unknown): Finding {
  const { kind, reason } = describeDiscordError(error);
  switch (kind) {
    case 'token':
      return fail('Discord rejects the bot token (401).', tokenHint);
    case 'refused':
      return fail(
        `Discord rejects the request (${reason}).`,
        'Check DISCORD_API_URL, and that no proxy responds in its place.',
      );
    case 'unreachable':
      return fail(
        `Discord cannot be reached: ${reason}.`,
        'Check the network and https://discordstatus.com. Meanwhile votes are credited, and announcements are queued.',
      );
  }
}

/** Finding of the other Discord checks if {@link checkDiscord} fails. */
export const skippedWithoutDiscord = warn('Skipped, because the discord check failed.');
