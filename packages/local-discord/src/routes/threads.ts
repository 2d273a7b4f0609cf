import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse, raise } from '../errors.ts';
import { messageType } from '../flags.ts';
import { messageSchema } from '../message-schema.ts';
import { type GuildChannel, isThread, type Thread, type ThreadMember, threadType } from '../objects.ts';
import type { PermissionName } from '../permissions.ts';
import { done, ok, type Route, route } from '../rest.ts';
import { requiredText, validate } from '../validate.ts';
import { createChannelAccess } from './channel-access.ts';

const settings = {
  auto_archive_duration: z.literal([60, 1440, 4320, 10_080]).nullish(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
};
const threadOfMessage = z.object({ name: requiredText(100), ...settings });
const newThread = threadOfMessage.extend({
  // "Defaults to PRIVATE_THREAD in order to match the behavior when thread documentation was first published."
  type: z.literal([threadType.public, threadType.private]).nullish(),
  invitable: z.boolean().nullish(),
});
const threadEdit = z
  .object({ name: requiredText(100).nullable(), archived: z.boolean().nullable(), locked: z.boolean().nullable() })
  .extend({ invitable: z.boolean().nullable(), ...settings })
  .partial();

const count = z
  .string()
  .regex(/^\d{1,3}$/)
  .transform(Number);
const archiveQuery = z.object({
  before: z.iso.datetime({ offset: true }).optional(),
  limit: count.pipe(z.int().min(2).max(100)).default(50),
});
const membersQuery = z.object({
  with_member: z.enum(['true', 'false']).default('false'),
  after: z.string().regex(snowflakePattern).default('0'),
  limit: count.pipe(z.int().min(1).max(100)).default(100),
});

/** Drops null, which stands for no change. */
const given = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

/** Threads and their members. Discord: "Channel", "Threads". */
export function threadRoutes(store: DiscordStore): Route[] {
  const { state, threads, messages, files } = store;
  const { channelFor, messageIn } = createChannelAccess(store);
  const botId = state.bot.id;

  const parentFor = (channelId: string, ...permissions: PermissionName[]): GuildChannel => {
    const channel = channelFor(channelId, ...permissions);
    return channel.type === 0 ? channel : raise(errorResponse.wrongChannelType());
  };
  const threadFor = (channelId: string, ...permissions: PermissionName[]): Thread => {
    const channel = channelFor(channelId, ...permissions);
    return isThread(channel) ? channel : raise(errorResponse.wrongChannelType());
  };
  /** The thread, if its members can be changed. */
  const activeThread = (channelId: string, ...permissions: PermissionName[]): Thread => {
    const thread = threadFor(channelId, ...permissions);
    return thread.thread_metadata.archived ? raise(errorResponse.threadArchived()) : thread;
  };
  const managesThread = (thread: Thread) => state.hasPermission(botId, 'manageThreads', thread);
  const requirePermission = (isAllowed: boolean) => {
    if (!isAllowed) throw errorResponse.missingPermissions();
  };

  /** Discord: "Modify Channel", thread. Who has started a thread may change it, except for what moderators have locked. */
  const edit = (thread: Thread, body: unknown): Thread => {
    const { name, archived, locked, invitable, ...others } = validate(threadEdit, body);
    const isReopening = archived === false && Object.keys(body as object).length === 1;
    const isManager = managesThread(thread);
    const isOwner = thread.owner_id === botId;
    if (locked != null || state.isClosedTo(botId, thread)) requirePermission(isManager);
    if (isReopening) channelFor(thread.id, 'sendMessages');
    else requirePermission(isManager || isOwner);
    if (thread.thread_metadata.archived && archived !== false) throw errorResponse.threadArchived();
    return threads.update(thread, {
      name: given(name),
      archived: given(archived),
      locked: given(locked),
      invitable: given(invitable),
      auto_archive_duration: given(others.auto_archive_duration),
      rate_limit_per_user: given(others.rate_limit_per_user),
    });
  };

  /** The archived threads of a channel, the last archived one first. */
  const archivedIn = (channelId: string, type: Thread['type'], query: URLSearchParams) => {
    const { before = '9999', limit } = validate(archiveQuery, Object.fromEntries(query));
    const found = state
      .threads('archived')
      .filter((thread) => thread.parent_id === channelId && thread.type === type)
      .filter(({ thread_metadata: { archive_timestamp } }) => Date.parse(archive_timestamp) < Date.parse(before))
      .sort((one, other) => archivedAt(other) - archivedAt(one));
    return threads.list(found.slice(0, limit), found.length > limit);
  };

  /** A member of a thread, with the member of the guild. */
  const withMember = (member: ThreadMember, isWanted: boolean) =>
    isWanted ? { ...member, member: state.members.get(member.user_id) } : member;

  const ownMember = '/channels/:channelId/thread-members/@me';
  const oneMember = '/channels/:channelId/thread-members/:userId';
  return [
    route('POST', '/channels/:channelId/threads', ({ ids, body }) => {
      parentFor(ids.channelId);
      const { type, name, invitable, ...others } = validate(newThread, body);
      const isPublic = type === threadType.public;
      const parent = parentFor(ids.channelId, isPublic ? 'createPublicThreads' : 'createPrivateThreads');
      const thread = threads.create(parent, {
        id: state.nextId(),
        type: type ?? threadType.private,
        name,
        ownerId: botId,
        invitable: given(invitable),
        auto_archive_duration: given(others.auto_archive_duration),
        rate_limit_per_user: given(others.rate_limit_per_user),
      });
      if (isPublic) {
        const payload = validate(messageSchema, { content: name, allowed_mentions: { parse: [] } });
        const reference = { type: 0, channel_id: thread.id, guild_id: thread.guild_id } as const;
        const extra = { type: messageType.threadCreated, message_reference: reference };
        messages.create({ channel: parent, content: files.attach([], payload), extra });
      }
      return { status: 201, body: state.threadForBot(thread) };
    }),
    route('POST', '/channels/:channelId/messages/:messageId/threads', ({ ids, body }) => {
      const parent = parentFor(ids.channelId, 'createPublicThreads');
      const message = messageIn(ids.channelId, ids.messageId);
      const { name, ...others } = validate(threadOfMessage, body);
      if (state.channels.has(message.id)) throw errorResponse.threadExists();
      const thread = threads.create(parent, {
        id: message.id,
        type: threadType.public,
        name,
        ownerId: botId,
        auto_archive_duration: given(others.auto_archive_duration),
        rate_limit_per_user: given(others.rate_limit_per_user),
      });
      messages.announceThread(message);
      return { status: 201, body: state.threadForBot(thread) };
    }),
    route('PATCH', '/channels/:channelId', ({ ids, body }) => {
      const channel = channelFor(ids.channelId);
      if (!isThread(channel)) throw errorResponse.methodNotAllowed();
      return ok(state.threadForBot(edit(channel, body)));
    }),
    route('DELETE', '/channels/:channelId', ({ ids }) => {
      const channel = channelFor(ids.channelId);
      if (!isThread(channel)) throw errorResponse.methodNotAllowed();
      requirePermission(managesThread(channel));
      const body = state.threadForBot(channel);
      state.deleteChannel(channel);
      return ok(body);
    }),
    route('GET', '/channels/:channelId/threads/archived/public', ({ ids, query }) =>
      ok(archivedIn(parentFor(ids.channelId, 'readMessageHistory').id, threadType.public, query)),
    ),
    route('GET', '/channels/:channelId/threads/archived/private', ({ ids, query }) => {
      const parent = parentFor(ids.channelId, 'readMessageHistory', 'manageThreads');
      return ok(archivedIn(parent.id, threadType.private, query));
    }),
    route('GET', '/channels/:channelId/thread-members', ({ ids, query }) => {
      const { with_member, after, limit } = validate(membersQuery, Object.fromEntries(query));
      const all = threads.members(threadFor(ids.channelId));
      // "When with_member is set to true, the results will be paginated", by the ids of the users.
      const page = all
        .filter(({ user_id }) => BigInt(user_id) > BigInt(after))
        .sort((one, other) => (BigInt(one.user_id) < BigInt(other.user_id) ? -1 : 1))
        .slice(0, limit);
      return ok(with_member === 'true' ? page.map((each) => withMember(each, true)) : all);
    }),
    route('PUT', ownMember, ({ ids }) => done(threads.join(activeThread(ids.channelId), botId))),
    route('DELETE', ownMember, ({ ids }) => done(threads.leave(activeThread(ids.channelId), botId))),
    route('GET', oneMember, ({ ids, query }) => {
      const member = state.threadMembers.get(threadFor(ids.channelId).id)?.get(ids.userId);
      return ok(withMember(member ?? raise(errorResponse.unknownMember()), query.get('with_member') === 'true'));
    }),
    route('PUT', oneMember, ({ ids }) => {
      const thread = activeThread(ids.channelId, 'sendMessages');
      if (!state.isMember(ids.userId)) throw errorResponse.unknownMember();
      const isPrivate = thread.type === threadType.private;
      const isInvitable = thread.thread_metadata.invitable !== false || thread.owner_id === botId;
      requirePermission(!isPrivate || isInvitable || managesThread(thread));
      return done(threads.join(thread, ids.userId));
    }),
    route('DELETE', oneMember, ({ ids }) => {
      const thread = activeThread(ids.channelId);
      const isOwnPrivate = thread.type === threadType.private && thread.owner_id === botId;
      requirePermission(isOwnPrivate || managesThread(thread));
      return done(threads.leave(thread, ids.userId));
    }),
  ];
}

function archivedAt({ thread_metadata: { archive_timestamp } }: Thread): number {
  return Date.parse(archive_timestamp);
}
