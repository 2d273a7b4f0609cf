import { second } from '../../../clock.ts';
import { refusal } from '../errors.ts';
import { type Files, withAddresses } from '../files.ts';
import { checkForm } from '../form.ts';
import { messageForm } from '../limits.ts';
import type { Messages } from '../messages.ts';
import type { PermissionName } from '../permissions.ts';
import { noContent, ok, type Route, route } from '../route.ts';
import type { Channel, Message } from '../shapes.ts';
import type { World } from '../world.ts';

const messageLimit = { count: 5, per: 5 * second };

/** Channels and their messages. Discord: "Channel", "Message". */
export function channelRoutes(world: World, messages: Messages, files: Files): Route[] {
  /** The channel, if the bot may see it and do this in it. */
  const channelFor = (id: string, ...needed: PermissionName[]): Channel => {
    const channel = world.channels.get(id);
    if (channel === undefined) throw refusal.unknownChannel();
    if (channel.type === 1) {
      if (needed.includes('sendMessages') && world.closedDirectMessages.has(channel.recipients[0]?.id ?? '')) {
        throw refusal.closedDirectMessages();
      }
      return channel;
    }
    if (!world.may(world.bot.id, 'viewChannel', channel)) throw refusal.missingAccess();
    if (needed.some((name) => !world.may(world.bot.id, name, channel))) throw refusal.missingPermissions();
    return channel;
  };

  /** A message of the channel that is there for all. */
  const messageIn = (channelId: string, messageId: string): Message => {
    const kept = messages.find(messageId);
    if (kept?.message.channel_id !== channelId || kept.onlyFor !== null) throw refusal.unknownMessage();
    return kept.message;
  };

  return [
    route('GET', '/channels/:channelId', ({ ids }) => ok(channelFor(ids.channelId))),
    route('POST', '/channels/:channelId/typing', ({ ids }) => {
      channelFor(ids.channelId, 'sendMessages');
      return noContent;
    }),
    route('GET', '/channels/:channelId/messages', ({ ids, query }) => {
      channelFor(ids.channelId, 'readMessageHistory');
      return ok(page(messages.in(ids.channelId), query));
    }),
    route('GET', '/channels/:channelId/messages/:messageId', ({ ids }) => {
      channelFor(ids.channelId, 'readMessageHistory');
      return ok(messageIn(ids.channelId, ids.messageId));
    }),
    route(
      'POST',
      '/channels/:channelId/messages',
      ({ ids, body, files: uploaded }) => {
        const channel = channelFor(ids.channelId, 'sendMessages');
        const form = checkForm(messageForm, body);
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
        if (message.author.id !== world.bot.id) throw refusal.notYourMessage();
        const form = checkForm(messageForm, body);
        const attachments = files.keep(uploaded, form);
        return ok(messages.edit(message.id, withAddresses(form, attachments), { attachments }));
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

/** Newest first, from before or after a message. Discord: "Get Channel Messages". */
function page(oldestFirst: readonly Message[], query: URLSearchParams): Message[] {
  const limit = Math.min(100, Math.max(1, Number(query.get('limit') ?? 50) || 50));
  const before = query.get('before');
  const after = query.get('after');
  if (after !== null) {
    const newer = oldestFirst.filter(({ id }) => BigInt(id) > BigInt(after));
    return newer.slice(0, limit).reverse();
  }
  const older = before === null ? oldestFirst : oldestFirst.filter(({ id }) => BigInt(id) < BigInt(before));
  return older.slice(-limit).reverse();
}
