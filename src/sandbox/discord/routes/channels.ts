import { second } from '../../../platform/durations.ts';
import type { DiscordState } from '../discord-state.ts';
import { errorResponse } from '../errors.ts';
import { type Files, withAddresses } from '../files.ts';
import { historyOf, historySchema } from '../history.ts';
import { messageSchema } from '../message-schema.ts';
import { asReadAgain, type Messages } from '../messages.ts';
import type { Channel, Message } from '../objects.ts';
import type { PermissionName } from '../permissions.ts';
import { noContent, ok, type Route, route } from '../route.ts';
import { validate } from '../validate.ts';

const messageLimit = { count: 5, per: 5 * second };

/** Channels and their messages. Discord: "Channel", "Message". */
export function channelRoutes(world: DiscordState, messages: Messages, files: Files): Route[] {
  /** The channel, if the bot may see it and do this in it. */
  const channelFor = (id: string, ...needed: PermissionName[]): Channel => {
    const channel = world.channels.get(id);
    if (channel === undefined) throw errorResponse.unknownChannel();
    if (channel.type === 1) {
      if (needed.includes('sendMessages') && world.closedDirectMessages.has(channel.recipients[0]?.id ?? '')) {
        throw errorResponse.closedDirectMessages();
      }
      return channel;
    }
    if (!world.may(world.bot.id, 'viewChannel', channel)) throw errorResponse.missingAccess();
    if (needed.some((name) => !world.may(world.bot.id, name, channel))) throw errorResponse.missingPermissions();
    return channel;
  };

  /** A message of the channel that is there for all. */
  const messageIn = (channelId: string, messageId: string): Message => {
    const kept = messages.find(messageId);
    if (kept?.message.channel_id !== channelId || kept.onlyFor !== null) throw errorResponse.unknownMessage();
    return kept.message;
  };

  return [
    route('GET', '/channels/:channelId', ({ ids }) => ok(channelFor(ids.channelId))),
    route('POST', '/channels/:channelId/typing', ({ ids }) => {
      channelFor(ids.channelId, 'sendMessages');
      return noContent;
    }),
    route('GET', '/channels/:channelId/messages', ({ ids, query }) => {
      const channel = channelFor(ids.channelId);
      const asked = validate(historySchema, Object.fromEntries(query));
      // "If the current user is missing the READ_MESSAGE_HISTORY permission in the channel, then no messages will be returned."
      if (channel.type === 0 && !world.may(world.bot.id, 'readMessageHistory', channel)) return ok([]);
      return ok(historyOf(messages.in(channel.id), asked).map(asReadAgain));
    }),
    route('GET', '/channels/:channelId/messages/:messageId', ({ ids }) => {
      channelFor(ids.channelId, 'readMessageHistory');
      return ok(asReadAgain(messageIn(ids.channelId, ids.messageId)));
    }),
    route(
      'POST',
      '/channels/:channelId/messages',
      ({ ids, body, files: uploaded }) => {
        const channel = channelFor(ids.channelId, 'sendMessages');
        const form = validate(messageSchema, body);
        if (form.embeds?.length) channelFor(ids.channelId, 'embedLinks');
        if (uploaded.length > 0) channelFor(ids.channelId, 'attachFiles');
        const attachments = files.keep(uploaded, form);
        return ok(messages.create({ channel, author: world.bot, form: withAddresses(form, attachments), attachments }));
      },
      { limit: messageLimit },
    ),
    route(
      'PATCH',
      '/channels/:channelId/messages/:messageId',
      ({ ids, body, files: uploaded }) => {
        channelFor(ids.channelId);
        const message = messageIn(ids.channelId, ids.messageId);
        if (message.author.id !== world.bot.id) throw errorResponse.notYourMessage();
        const form = validate(messageSchema, body);
        const attachments = files.keep(uploaded, form);
        return ok(asReadAgain(messages.edit(message.id, withAddresses(form, attachments), { attachments })));
      },
      { limit: messageLimit },
    ),
    route(
      'DELETE',
      '/channels/:channelId/messages/:messageId',
      ({ ids }) => {
        channelFor(ids.channelId);
        const message = messageIn(ids.channelId, ids.messageId);
        if (message.author.id !== world.bot.id) channelFor(ids.channelId, 'manageMessages');
        messages.delete(message.id);
        return noContent;
      },
      { limit: { count: 5, per: second } },
    ),
  ];
}
