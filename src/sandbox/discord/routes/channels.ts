import { second } from '../../../platform/durations.ts';
import type { DiscordState } from '../discord-state.ts';
import { errorResponse } from '../errors.ts';
import type { Files } from '../files.ts';
import { historySchema, selectHistory } from '../history.ts';
import { messageSchema, validateEdit } from '../message-schema.ts';
import { type Messages, withoutNonce } from '../messages.ts';
import type { Channel, Message } from '../objects.ts';
import type { PermissionName } from '../permissions.ts';
import { isWithoutBot } from '../places-without-bot.ts';
import { noContent, ok, type Route, route } from '../route.ts';
import { validate } from '../validate.ts';

const messageLimit = { count: 5, windowMs: 5 * second };

/** Channels and their messages. Discord: "Channel", "Message". */
export function channelRoutes(state: DiscordState, messages: Messages, files: Files): Route[] {
  /** The channel, if the bot can see it and has the permissions. @throws DiscordApiError */
  const channelFor = (id: string, ...permissions: PermissionName[]): Channel => {
    const channel = state.channels.get(id);
    if (channel === undefined) throw errorResponse.unknownChannel();
    if (channel.type === 3 || isWithoutBot(channel)) throw errorResponse.missingAccess();
    if (channel.type === 1) {
      const recipientId = channel.recipients[0]?.id ?? '';
      if (!permissions.includes('sendMessages')) return channel;
      if (!state.isMember(recipientId) || !state.isMember(state.bot.id)) throw errorResponse.noMutualGuilds();
      if (state.closedDirectMessages.has(recipientId)) throw errorResponse.closedDirectMessages();
      return channel;
    }
    const isVisible = state.isMember(state.bot.id) && state.hasPermission(state.bot.id, 'viewChannel', channel);
    if (!isVisible) throw errorResponse.missingAccess();
    if (permissions.some((name) => !state.hasPermission(state.bot.id, name, channel)))
      throw errorResponse.missingPermissions();
    return channel;
  };

  /** A non-ephemeral message of the channel. @throws DiscordApiError */
  const messageIn = (channelId: string, messageId: string): Message => {
    const stored = messages.find(messageId);
    if (stored?.message.channel_id !== channelId || stored.onlyFor !== null) throw errorResponse.unknownMessage();
    return stored.message;
  };

  return [
    route('GET', '/channels/:channelId', ({ ids }) => ok(channelFor(ids.channelId))),
    route('POST', '/channels/:channelId/typing', ({ ids }) => {
      channelFor(ids.channelId, 'sendMessages');
      return noContent;
    }),
    route('GET', '/channels/:channelId/messages', ({ ids, query }) => {
      const channel = channelFor(ids.channelId);
      const range = validate(historySchema, Object.fromEntries(query));
      // "If the current user is missing the READ_MESSAGE_HISTORY permission in the channel, then no messages will be returned."
      if (channel.type === 0 && !state.hasPermission(state.bot.id, 'readMessageHistory', channel)) return ok([]);
      return ok(selectHistory(messages.in(channel.id), range).map(withoutNonce));
    }),
    route('GET', '/channels/:channelId/messages/:messageId', ({ ids }) => {
      channelFor(ids.channelId, 'readMessageHistory');
      return ok(withoutNonce(messageIn(ids.channelId, ids.messageId)));
    }),
    route(
      'POST',
      '/channels/:channelId/messages',
      ({ ids, body, files: uploads }) => {
        const channel = channelFor(ids.channelId, 'sendMessages');
        const payload = validate(messageSchema, body);
        if (payload.embeds?.length) channelFor(ids.channelId, 'embedLinks');
        if (uploads.length > 0) channelFor(ids.channelId, 'attachFiles');
        return ok(messages.create({ channel, author: state.bot, content: files.attach(uploads, payload) }));
      },
      { limit: messageLimit },
    ),
    route(
      'PATCH',
      '/channels/:channelId/messages/:messageId',
      ({ ids, body, files: uploads }) => {
        channelFor(ids.channelId);
        const message = messageIn(ids.channelId, ids.messageId);
        if (message.author.id !== state.bot.id) throw errorResponse.notMessageAuthor();
        if (uploads.length > 0) channelFor(ids.channelId, 'attachFiles');
        const content = files.attach(uploads, validateEdit(message, body), { existing: message });
        return ok(withoutNonce(messages.edit(message.id, content)));
      },
      { limit: messageLimit },
    ),
    route(
      'DELETE',
      '/channels/:channelId/messages/:messageId',
      ({ ids }) => {
        channelFor(ids.channelId);
        const message = messageIn(ids.channelId, ids.messageId);
        if (message.author.id !== state.bot.id) channelFor(ids.channelId, 'manageMessages');
        messages.delete(message.id);
        return noContent;
      },
      { limit: { count: 5, windowMs: second } },
    ),
  ];
}
