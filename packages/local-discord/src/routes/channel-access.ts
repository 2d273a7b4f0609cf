import type { DiscordStore } from '../discord-store.ts';
import { errorResponse, raise } from '../errors.ts';
import { type Channel, isThread, type Message } from '../objects.ts';
import type { PermissionName } from '../permissions.ts';
import { isWithoutBot } from '../places-without-bot.ts';

/** The bot's access to channels, threads and messages. */
export function createChannelAccess({ state, messages }: DiscordStore) {
  /** The channel, if the bot can see it and has the permissions. @throws DiscordApiError */
  const channelFor = (id: string, ...permissions: PermissionName[]): Channel => {
    const channel = state.channels.get(id) ?? raise(errorResponse.unknownChannel());
    if (isWithoutBot(channel) || channel.type === 3) throw errorResponse.missingAccess();
    if (channel.type === 1) {
      const recipientId = channel.recipients[0]?.id ?? '';
      if (!permissions.includes('sendMessages')) return channel;
      if (!state.isMember(recipientId) || !state.isMember(state.bot.id)) throw errorResponse.noMutualGuilds();
      if (state.closedDirectMessages.has(recipientId)) throw errorResponse.closedDirectMessages();
      return channel;
    }
    if (!state.canView(state.bot.id, channel)) throw errorResponse.missingAccess();
    const isMissing = (name: PermissionName) => !state.hasPermission(state.bot.id, inThread(name, channel), channel);
    if (permissions.some(isMissing)) throw errorResponse.missingPermissions();
    return channel;
  };

  /** A non-ephemeral message of the channel. @throws DiscordApiError */
  const messageIn = (channelId: string, messageId: string): Message => {
    const stored = messages.find(messageId);
    if (stored?.message.channel_id !== channelId || stored.onlyFor !== null) throw errorResponse.unknownMessage();
    return stored.message;
  };

  return { channelFor, messageIn };
}

/** In threads, SEND_MESSAGES_IN_THREADS takes the place of SEND_MESSAGES. */
function inThread(name: PermissionName, channel: Channel): PermissionName {
  return name === 'sendMessages' && isThread(channel) ? 'sendMessagesInThreads' : name;
}
