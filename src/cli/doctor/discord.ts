import { describeDiscordError, tokenHint } from '../../discord/discord-errors.ts';
import { type BotIdentity, fetchGuildName } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** The token and whom it stands for, and the guild that the commands are for. */
export async function checkDiscord(
  rest: DiscordRest,
  identity: Promise<BotIdentity>,
  guildId: string | null,
): Promise<Finding[]> {
  try {
    const { name, applicationId } = await identity;
    const accepted = pass(`The token is accepted: it is the application "${name}" (${applicationId}).`);
    return guildId === null ? [accepted] : [accepted, evaluateGuild(guildId, await fetchGuildName(rest, guildId))];
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

/** `name`: null where the bot is not in the guild. */
export function evaluateGuild(guildId: string, name: string | null): Finding {
  if (name !== null) return pass(`The bot is in the guild "${name}" (${guildId}).`);
  return fail(
    `The bot is not in the guild ${guildId} that DISCORD_GUILD_ID names.`,
    'Invite it there (OAuth2 → URL Generator, scopes bot and applications.commands), or correct the id.',
  );
}

/** What {@link DiscordRest} threw, as a finding. */
export function evaluateDiscordError(error: unknown): Finding {
  const trouble = describeDiscordError(error);
  if (trouble.kind === 'token') return fail('Discord does not accept the bot token (401).', tokenHint);
  if (trouble.kind === 'refused') {
    return fail(
      `Discord refuses to answer (${trouble.reason}).`,
      'Check DISCORD_API_URL, and that no proxy answers in its place.',
    );
  }
  return fail(
    `Discord cannot be reached: ${trouble.reason}.`,
    'Check the network, and https://discordstatus.com. Votes are credited meanwhile, and announcements wait.',
  );
}

/** What the other checks of Discord say when the first one has told the reason. */
export const skipped = warn('Not looked at: Discord could not be asked.');
