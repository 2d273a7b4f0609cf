import type { ListingConfig } from '../../../config/schema.ts';
import { type ChannelAccess, inspectChannel } from '../../discord/inspection.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { orDiscordError, skippedWithoutDiscord } from './discord.ts';
import type { InstallationCheck } from './installation.ts';

/** Whether every announcement channel exists, and the bot can post in it. */
export const channelsCheck: InstallationCheck = {
  name: 'channels',
  async run({ config, rest, bot, clock }) {
    const ids = channelIdsOf(config.listings);
    if (ids.length === 0) {
      return [warn('No channel is configured, so nothing is announced.', 'Set ANNOUNCE_CHANNEL_ID.')];
    }
    const identity = await bot();
    if (identity === null) return [skippedWithoutDiscord];
    const findings = ids.map((channelId) =>
      orDiscordError(async () => {
        const access = await inspectChannel(rest, { channelId, userId: identity.userId, now: clock.now() });
        return evaluateChannel(channelId, access);
      }),
    );
    return (await Promise.all(findings)).flat();
  },
};

function channelIdsOf(listings: readonly ListingConfig[]): string[] {
  const ids = listings.flatMap(({ announceChannelId, premiumChannelId }) => [announceChannelId, premiumChannelId]);
  return [...new Set(ids.filter((id) => id !== null))];
}

function evaluateChannel(channelId: string, access: ChannelAccess): Finding[] {
  switch (access.state) {
    case 'missing':
      return [
        fail(
          `Channel ${channelId} does not exist.`,
          'It may have been deleted: configure the id of a different channel (Copy Channel ID).',
        ),
      ];
    case 'hidden':
      return [
        fail(
          `The bot cannot see channel ${channelId}.`,
          'Invite the bot to its server, and grant it View Channel, Send Messages and Embed Links in that channel.',
        ),
      ];
    case 'unfit':
      return [
        fail(
          `"${access.name}" (${channelId}) is a kind of channel without messages of its own.`,
          'Configure the id of a text channel.',
        ),
      ];
    case 'seen':
      return evaluatePermissions(channelId, access);
  }
}

function evaluatePermissions(channelId: string, access: Extract<ChannelAccess, { state: 'seen' }>): Finding[] {
  const { name, guild, missingPermissions: missing, mayReadHistory } = access;
  if (missing.length > 0) {
    return [
      fail(
        `The bot is missing ${missing.join(', ')} in #${name} (${channelId}) of "${guild}".`,
        'Grant it there: channel settings → Permissions → the role of the bot.',
      ),
    ];
  }
  const canAnnounce = pass(`The bot can announce in #${name} (${channelId}) of "${guild}".`);
  if (mayReadHistory) return [canAnnounce];
  return [
    canAnnounce,
    warn(
      `The bot is missing Read Message History in #${name}. Announcements work without it.`,
      'Optional: grant it so that the bot can find its earlier messages before it repeats one.',
    ),
  ];
}
