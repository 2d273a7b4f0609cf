import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse, raise } from '../errors.ts';
import { type GuildChannel, isThread, type Thread, type ThreadMember, threadType } from '../objects.ts';
import type { PermissionName } from '../permissions.ts';
import { done, ok, type Route, route } from '../rest.ts';
import { startThread } from '../start-thread.ts';
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

/** Threads and their members. Discord: "Channel", "Threads". */
export function threadRoutes(store: DiscordStore): Route[] {
  const { state, threads, messages } = store;
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
    const changes = validate(threadEdit, body);
    const isReopening = changes.archived === false && Object.keys(body as object).length === 1;
    const isManager = managesThread(thread);
    if (changes.locked != null || state.isClosedTo(botId, thread)) requirePermission(isManager);
    if (isReopening) channelFor(thread.id, 'sendMessages');
    else requirePermission(isManager || thread.owner_id === botId);
    if (thread.thread_metadata.archived && changes.archived !== false) throw errorResponse.threadArchived();
    return threads.update(thread, changes);
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
      const fields = validate(newThread, body);
      const type = fields.type ?? threadType.private;
      const needed = type === threadType.public ? 'createPublicThreads' : 'createPrivateThreads';
      const parent = parentFor(ids.channelId, needed);
      const thread = startThread(store, parent, { ...fields, type, ownerId: botId });
      return { status: 201, body: state.threadForBot(thread) };
    }),
    route('POST', '/channels/:channelId/messages/:messageId/threads', ({ ids, body }) => {
      const parent = parentFor(ids.channelId, 'createPublicThreads');
      const message = messageIn(ids.channelId, ids.messageId);
      const fields = validate(threadOfMessage, body);
      if (state.channels.has(message.id)) throw errorResponse.threadExists();
      const type = threadType.public;
      const thread = threads.create(parent, { ...fields, type, id: message.id, ownerId: botId });
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
