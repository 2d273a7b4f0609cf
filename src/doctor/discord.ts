import { guildName, type Identity } from '../discord/inspection.ts';
import type { DiscordRest } from '../discord/rest.ts';
import { tokenCure } from '../discord/token.ts';
import { troubleWith } from '../discord/trouble.ts';
import { type Finding, fault, note, well } from './finding.ts';

/** The token and whom it stands for, and the guild that the commands are for. */
export async function checkDiscord(
  rest: DiscordRest,
  identity: Promise<Identity>,
  guildId: string | null,
): Promise<Finding[]> {
  try {
    const { name, applicationId } = await identity;
    const accepted = well(`The token is accepted: it is the application "${name}" (${applicationId}).`);
    return guildId === null ? [accepted] : [accepted, judgeGuild(guildId, await guildName(rest, guildId))];
  } catch (error) {
    return [judgeTrouble(error)];
  }
}

/** `name`: null where the bot is not in the guild. */
export function judgeGuild(guildId: string, name: string | null): Finding {
  if (name !== null) return well(`The bot is in the guild "${name}" (${guildId}).`);
  return fault(
    `The bot is not in the guild ${guildId} that DISCORD_GUILD_ID names.`,
    'Invite it there (OAuth2 → URL Generator, scopes bot and applications.commands), or correct the id.',
  );
}

/** What {@link DiscordRest} threw, as a finding. */
export function judgeTrouble(error: unknown): Finding {
  const trouble = troubleWith(error);
  if (trouble.kind === 'token') return fault('Discord does not accept the bot token (401).', tokenCure);
  if (trouble.kind === 'refused') {
    return fault(
      `Discord refuses to answer (${trouble.reason}).`,
      'Check DISCORD_API_URL, and that no proxy answers in its place.',
    );
  }
  return fault(
    `Discord cannot be reached: ${trouble.reason}.`,
    'Check the network, and https://discordstatus.com. Votes are credited meanwhile, and announcements wait.',
  );
}

/** What the other checks of Discord say when the first one has told the reason. */
export const notAsked = note('Not looked at: Discord could not be asked.');
