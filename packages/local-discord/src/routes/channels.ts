import { second } from '@tallyhook/platform/durations';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse } from '../errors.ts';
import { messageSchema, validateEdit } from '../message-schema.ts';
import { isInGuild, isThread, type Message } from '../objects.ts';
import { done, ok, type Route, route, routeWith } from '../rest.ts';
import { addIssue, validate } from '../validate.ts';
import { createChannelAccess } from './channel-access.ts';

const limit = z.string().transform((text, context) => {
  const count = /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (count === undefined) addIssue(context, [], 'NUMBER_TYPE_COERCE', `Value "${text}" is not int.`);
  else if (count < 1) addIssue(context, [], 'NUMBER_TYPE_MIN', 'int value should be greater than or equal to 1.');
  else if (count > 100) addIssue(context, [], 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 100.');
  return count ?? z.NEVER;
});

const messageId = z.string().transform((text, context) => {
  if (snowflakePattern.test(text)) return BigInt(text);
  addIssue(context, [], 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
  return z.NEVER;
});

/** The query of "Get Channel Messages"; at most one of `before`, `after` and `around` applies. */
const historySchema = z.object({
  limit: limit.default(50),
  before: messageId.optional(),
  after: messageId.optional(),
  around: messageId.optional(),
});
type History = z.output<typeof historySchema>;

/** The selected messages of a channel, newest first. */
function selectHistory(oldestFirst: readonly Message[], { limit, before, after, around }: History): Message[] {
  const messagesBefore = (id: bigint, count: number) =>
    count === 0 ? [] : oldestFirst.filter((message) => BigInt(message.id) < id).slice(-count);
  const messagesFrom = (id: bigint, count: number) =>
    oldestFirst.filter((message) => BigInt(message.id) >= id).slice(0, count);
  if (around !== undefined) {
    const older = messagesBefore(around, Math.floor(limit / 2));
    return [...older, ...messagesFrom(around, limit - older.length)].reverse();
  }
  if (after !== undefined) return messagesFrom(after + 1n, limit).reverse();
  return before === undefined ? oldestFirst.slice(-limit).reverse() : messagesBefore(before, limit).reverse();
}

const messageRoute = routeWith({ limit: { count: 5, windowMs: 5 * second } });
const deletionRoute = routeWith({ limit: { count: 5, windowMs: second } });

/** Channels and their messages. Discord: "Channel", "Message". */
export function channelRoutes(store: DiscordStore): Route[] {
  const { state, messages, files } = store;
  const { channelFor, messageIn } = createChannelAccess(store);

  return [
    route('GET', '/channels/:channelId', ({ ids }) => {
      const channel = channelFor(ids.channelId);
      return ok(isThread(channel) ? state.threadForBot(channel) : channel);
    }),
    route('POST', '/channels/:channelId/typing', ({ ids }) => {
      channelFor(ids.channelId, 'sendMessages');
      return done();
    }),
    route('GET', '/channels/:channelId/messages', ({ ids, query }) => {
      const channel = channelFor(ids.channelId);
      const range = validate(historySchema, Object.fromEntries(query));
      // "If the current user is missing the READ_MESSAGE_HISTORY permission in the channel, then no messages will be returned."
      if (isInGuild(channel) && !state.hasPermission(state.bot.id, 'readMessageHistory', channel)) return ok([]);
      return ok(selectHistory(messages.in(channel.id), range).map((message) => messages.asRead(message)));
    }),
    route('GET', '/channels/:channelId/messages/:messageId', ({ ids }) => {
      channelFor(ids.channelId, 'readMessageHistory');
      return ok(messages.asRead(messageIn(ids.channelId, ids.messageId)));
    }),
    messageRoute('POST', '/channels/:channelId/messages', ({ ids, body, files: uploads }) => {
      const channel = channelFor(ids.channelId, 'sendMessages');
      if (isThread(channel) && state.isClosedTo(state.bot.id, channel)) throw errorResponse.threadLocked();
      const payload = validate(messageSchema, body);
      if (payload.embeds?.length) channelFor(ids.channelId, 'embedLinks');
      if (uploads.length > 0) channelFor(ids.channelId, 'attachFiles');
      return ok(messages.create({ channel, content: files.attach(uploads, payload) }));
    }),
    messageRoute('PATCH', '/channels/:channelId/messages/:messageId', ({ ids, body, files: uploads }) => {
      const channel = channelFor(ids.channelId);
      const message = messageIn(ids.channelId, ids.messageId);
      if (message.author.id !== state.bot.id) throw errorResponse.notMessageAuthor();
      if (isThread(channel) && channel.thread_metadata.archived) throw errorResponse.threadArchived();
      if (uploads.length > 0) channelFor(ids.channelId, 'attachFiles');
      const content = files.attach(uploads, validateEdit(message, body), { existing: message });
      return ok(messages.asRead(messages.edit(message.id, content)));
    }),
    deletionRoute('DELETE', '/channels/:channelId/messages/:messageId', ({ ids }) => {
      channelFor(ids.channelId);
      const message = messageIn(ids.channelId, ids.messageId);
      if (message.author.id !== state.bot.id) channelFor(ids.channelId, 'manageMessages');
      return done(messages.delete(message.id));
    }),
  ];
}
