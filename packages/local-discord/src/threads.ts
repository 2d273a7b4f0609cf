import type { DiscordState } from './discord-state.ts';
import { intent } from './flags.ts';
import { type GuildChannel, isThread, type Message, type Thread, type ThreadMember, threadType } from './objects.ts';

/** Discord: "approximate count of users in a thread, stops counting at 50". */
const maxCountedMembers = 50;

/** Settings at the creation or a change of a thread; null is the default at its creation, and no change later. */
interface ThreadSettings {
  readonly invitable?: boolean | null | undefined;
  readonly auto_archive_duration?: Thread['thread_metadata']['auto_archive_duration'] | null | undefined;
  readonly rate_limit_per_user?: number | null | undefined;
}

interface ThreadChanges extends ThreadSettings {
  readonly name?: string | null | undefined;
  readonly archived?: boolean | null | undefined;
  readonly locked?: boolean | null | undefined;
}

/** A thread to create. */
export interface NewThread extends ThreadSettings {
  /** That of the message that it is started from, or a new one. */
  readonly id: string;
  readonly type: Thread['type'];
  readonly name: string;
  readonly ownerId: string;
}

/** The threads of the guild and their members. They are archived when somebody does so, never by time. Discord: "Threads". */
export class Threads {
  readonly #state: DiscordState;

  constructor(state: DiscordState) {
    this.#state = state;
  }

  /** Creates a thread that its owner has joined. */
  create(parent: GuildChannel, { id, type, name, ownerId, ...settings }: NewThread): Thread {
    const now = this.#state.timestamp();
    const thread: Thread = {
      id,
      type,
      guild_id: parent.guild_id,
      parent_id: parent.id,
      owner_id: ownerId,
      name,
      thread_metadata: {
        archived: false,
        archive_timestamp: now,
        auto_archive_duration: settings.auto_archive_duration ?? 4320,
        locked: false,
        create_timestamp: now,
        ...(type === threadType.private && { invitable: settings.invitable ?? true }),
      },
      rate_limit_per_user: settings.rate_limit_per_user ?? 0,
      last_message_id: null,
      message_count: 0,
      total_message_sent: 0,
      member_count: 1,
      flags: 0,
    };
    this.#state.channels.set(id, thread);
    this.#state.threadMembers.set(id, new Map([[ownerId, this.#newMember(id, ownerId)]]));
    this.#dispatch('THREAD_CREATE', thread, { newly_created: true });
    this.#state.changed('channels');
    return thread;
  }

  update(thread: Thread, changes: ThreadChanges): Thread {
    const before = thread.thread_metadata;
    const archived = changes.archived ?? before.archived;
    const isInvitable = changes.invitable ?? before.invitable;
    const updated: Thread = {
      ...thread,
      name: changes.name ?? thread.name,
      rate_limit_per_user: changes.rate_limit_per_user ?? thread.rate_limit_per_user,
      thread_metadata: {
        ...before,
        archived,
        archive_timestamp: archived === before.archived ? before.archive_timestamp : this.#state.timestamp(),
        auto_archive_duration: changes.auto_archive_duration ?? before.auto_archive_duration,
        locked: changes.locked ?? before.locked,
        ...(thread.type === threadType.private && isInvitable !== undefined && { invitable: isInvitable }),
      },
    };
    this.#state.channels.set(thread.id, updated);
    this.#dispatch('THREAD_UPDATE', updated);
    this.#state.changed('channels');
    return updated;
  }

  /** Threads as a list of them contains them: with the bot's own memberships. */
  list(threads: readonly Thread[], has_more = false) {
    const memberships = threads.map(({ id }) => this.#state.threadMembers.get(id)?.get(this.#state.bot.id));
    return { threads, members: memberships.filter((member) => member !== undefined), has_more };
  }

  /** In the order in which they have joined. */
  members(thread: Thread): ThreadMember[] {
    return [...(this.#state.threadMembers.get(thread.id)?.values() ?? [])];
  }

  /** Adds a member of the guild, unless they are in the thread already. */
  join({ id }: Thread, userId: string): void {
    const members = this.#state.threadMembers.get(id);
    const guildMember = this.#state.members.get(userId);
    if (members === undefined || guildMember === undefined || members.has(userId)) return;
    const member = this.#newMember(id, userId);
    members.set(userId, member);
    const thread = this.#countMembers(id, members.size);
    if (thread === undefined) return;
    if (userId === this.#state.bot.id) this.#dispatch('THREAD_CREATE', thread);
    this.#dispatchMembers(thread, userId, { added_members: [{ ...member, member: guildMember, presence: null }] });
  }

  leave({ id }: Thread, userId: string): void {
    const members = this.#state.threadMembers.get(id);
    if (members?.delete(userId) !== true) return;
    const thread = this.#countMembers(id, members.size);
    if (thread !== undefined) this.#dispatchMembers(thread, userId, { removed_member_ids: [userId] });
  }

  /** A message is sent in a thread: unarchives it, and adds its author. Those of interactions are sent by a webhook. */
  countMessage({ id }: Thread, { author, webhook_id }: Message, onlyFor: string | null): void {
    const thread = this.#find(id);
    if (thread === undefined || onlyFor !== null) return;
    const { archived, locked } = thread.thread_metadata;
    if (archived && (!locked || !this.#state.isClosedTo(author.id, thread))) this.update(thread, { archived: false });
    if (webhook_id === undefined) this.join(thread, author.id);
    this.#change(id, ({ message_count, total_message_sent }) => ({
      message_count: message_count + 1,
      total_message_sent: total_message_sent + 1,
    }));
  }

  uncountMessage({ channel_id }: Message): void {
    this.#change(channel_id, ({ message_count }) => ({ message_count: message_count - 1 }));
  }

  #newMember(id: string, userId: string): ThreadMember {
    return { id, user_id: userId, join_timestamp: this.#state.timestamp(), flags: 0 };
  }

  #countMembers(id: string, count: number): Thread | undefined {
    const thread = this.#change(id, () => ({ member_count: Math.min(count, maxCountedMembers) }));
    this.#state.changed('channels');
    return thread;
  }

  #find(id: string): Thread | undefined {
    const channel = this.#state.channels.get(id);
    return isThread(channel) ? channel : undefined;
  }

  /** Changes what Discord reports with no event of its own. */
  #change(id: string, change: (thread: Thread) => Partial<Thread>): Thread | undefined {
    const thread = this.#find(id);
    if (thread === undefined) return undefined;
    const changed = { ...thread, ...change(thread) };
    this.#state.channels.set(id, changed);
    return changed;
  }

  /** Reports a thread that the bot sees. */
  #dispatch(name: string, thread: Thread, added: object = {}): void {
    if (!this.#state.canView(this.#state.bot.id, thread)) return;
    this.#state.dispatch(name, { ...this.#state.threadForBot(thread), ...added }, intent.guilds);
  }

  /** Without the members intent, a bot gets only what concerns itself. Discord: "Thread Members Update". */
  #dispatchMembers(thread: Thread, userId: string, change: object): void {
    const { id, guild_id, member_count } = thread;
    const isOwn = userId === this.#state.bot.id;
    if (!isOwn && !this.#state.canView(this.#state.bot.id, thread)) return;
    const requiredIntent = isOwn ? intent.guilds | intent.guildMembers : intent.guildMembers;
    this.#state.dispatch('THREAD_MEMBERS_UPDATE', { id, guild_id, member_count, ...change }, requiredIntent);
  }
}
