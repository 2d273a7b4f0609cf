import type { ListingConfig } from '../../../config/schema.ts';
import { type BotIdentity, type ChannelAccess, inspectChannel } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Clock } from '../../platform/clock.ts';
import { evaluateDiscordError, skipped } from './discord.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** Every channel that announcements go to: is it there, and may the bot write in it? */
export async function checkChannels(
  rest: DiscordRest,
  identity: Promise<BotIdentity>,
  listings: readonly ListingConfig[],
  clock: Clock,
): Promise<Finding[]> {
  const ids = channelsOf(listings);
  if (ids.length === 0) return [warn('No channel is configured: nothing is announced.', 'Set ANNOUNCE_CHANNEL_ID.')];
  const known = await identity.catch(() => null);
  if (known === null) return [skipped];
  const findings = await Promise.all(
    ids.map(async (channelId) => {
      try {
        const sight = await inspectChannel(rest, { channelId, userId: known.userId, now: clock.now() });
        return evaluateChannel(channelId, sight);
      } catch (error) {
        return [evaluateDiscordError(error)];
      }
    }),
  );
  return findings.flat();
}

function channelsOf(listings: readonly ListingConfig[]): string[] {
  const all = listings.flatMap(({ announceChannelId, premiumChannelId }) => [announceChannelId, premiumChannelId]);
  return [...new Set(all.filter((id) => id !== null))];
}

export function evaluateChannel(channelId: string, sight: ChannelAccess): Finding[] {
  switch (sight.state) {
    case 'missing':
      return [
        fail(
          `There is no channel ${channelId} (10003).`,
          'It may have been deleted: set the id of another one (Copy Channel ID).',
        ),
      ];
    case 'hidden':
      return [
        fail(
          `The bot cannot see channel ${channelId} (50001).`,
          'Invite the bot to its server, and give it View Channel, Send Messages and Embed Links in that channel.',
        ),
      ];
    case 'unfit':
      return [
        fail(
          `The channel "${sight.name}" (${channelId}) takes no messages by itself.`,
          'Set the id of a text channel.',
        ),
      ];
    case 'seen':
      return judgePermissions(channelId, sight);
  }
}

function judgePermissions(channelId: string, sight: Extract<ChannelAccess, { state: 'seen' }>): Finding[] {
  const { name, guild, missingPermissions, mayReadHistory } = sight;
  if (missingPermissions.length > 0) {
    return [
      fail(
        `The bot lacks ${missingPermissions.join(', ')} in #${name} (${channelId}) of "${guild}".`,
        'Give it that there: the settings of the channel → Permissions → the role of the bot.',
      ),
    ];
  }
  const fine = pass(`The bot may announce in #${name} (${channelId}) of "${guild}".`);
  const history = warn(
    `The bot lacks Read Message History in #${name}: announcing works without.`,
    'Nothing need be done. Give it if you want the bot to find its own messages there.',
  );
  return mayReadHistory ? [fine] : [fine, history];
}
