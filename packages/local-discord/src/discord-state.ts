import { EventEmitter } from 'node:events';
import type { Clock } from '@tallyhook/platform/clock';
import type { DefaultGuild } from './default-guild.ts';
import { reject } from './errors.ts';
import { intent } from './flags.ts';
import { defaultLocale, isLocale, type Locale } from './locales.ts';
import type { Modal } from './modal.ts';
import {
  type Channel,
  type DirectChannel,
  type GuildChannel,
  type GuildPlace,
  isInGuild,
  isThread,
  type Member,
  type Message,
  type Role,
  type Thread,
  type ThreadMember,
  threadType,
  type User,
} from './objects.ts';
import {
  allPermissions,
  channelPermissions,
  guildPermissions,
  type PermissionName,
  permission,
} from './permissions.ts';
import { channelsWithoutBot } from './places-without-bot.ts';

/** Discord's epoch, 2015-01-01 (ms since the Unix epoch). Discord: "Snowflakes". */
const discordEpoch = 1_420_070_400_000;

/**
 * A generator of snowflakes with the current time. They are strictly increasing, even if the clock does not advance.
 */
function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const fromClock = BigInt(Math.max(0, Math.floor(clock.now()) - discordEpoch)) << 22n;
    last = fromClock > last ? fromClock : last + 1n;
    return String(last);
  };
}

/** A gateway event. It is sent to the sessions with its intent (0: all) on the shard of its guild. */
export interface Dispatch {
  readonly name: string;
  readonly data: unknown;
  readonly intent: number;
  readonly guildId: string | null;
}

/** A change that is visible to a person who uses Discord. */
export type StateChange =
  | {
      readonly kind: 'message';
      readonly message: Message;
      /** Id of the only user who sees it; null if it is visible to all. */
      readonly onlyFor: string | null;
    }
  | { readonly kind: 'message_deleted'; readonly channelId: string; readonly messageId: string }
  | { readonly kind: 'channels' }
  | { readonly kind: 'members' }
  | { readonly kind: 'languages' }
  | { readonly kind: 'modal'; readonly interactionId: string; readonly userId: string; readonly modal: Modal }
  | { readonly kind: 'commands' }
  | { readonly kind: 'gateway'; readonly connected: boolean }
  | {
      readonly kind: 'interaction';
      readonly interactionId: string;
      readonly userId: string;
      /** A command such as `/role add`, the label of a button, the placeholder of a select, or the title of a modal. */
      readonly label: string;
      /** The member's action, such as `chose a channel in /setup`. */
      readonly action: string;
      readonly state: 'sent' | 'answered' | 'failed';
      /** Time since it was sent (ms). */
      readonly afterMs: number;
    };

/** The clocks of a local Discord. */
export interface Timing {
  /** Simulated time, for ids and timestamps. */
  readonly clock: Clock;
  /** Real time, for timeouts, rate limits, heartbeats, outages and the lifetime of nonces. */
  readonly stopwatch: Clock;
  /** Ends what waits. */
  readonly stopped: AbortSignal;
}

/** The state of the local Discord: one guild with its channels, roles and members, and the direct message channels. */
export class DiscordState {
  readonly events = new EventEmitter<{ dispatch: [Dispatch]; change: [StateChange] }>();
  readonly clock: Clock;
  readonly stopwatch: Clock;
  readonly stopped: AbortSignal;
  readonly nextId: () => string;
  readonly bot: User;
  readonly applicationId: string;
  readonly guildId: string;
  /** By position, lowest (@everyone) first. */
  roles: readonly Role[];
  /** The ids of the roles at the start, before any was deleted. */
  readonly initialRoleIds: readonly string[];
  /** All users that the bot can meet: members, and those who have left the guild. */
  readonly users: ReadonlyMap<string, User>;
  /** Users whom the bot cannot meet, but whose names Discord knows. */
  readonly strangers: ReadonlyMap<string, User>;
  readonly members: Map<string, Member>;
  /** Threads as well. */
  readonly channels: Map<string, Channel>;
  /** By thread, the members by their ids. */
  readonly threadMembers = new Map<string, Map<string, ThreadMember>>();
  /** Ids of the users who do not accept direct messages from the bot. */
  readonly closedDirectMessages = new Set<string>();
  /** The number of shards that Discord recommends to the bot and requires of new sessions. */
  requiredShards = 1;
  /** How many sessions the bot may still start, as Discord says it. */
  remainingSessions = 999;

  #settings: DefaultGuild['guild'];
  /** By user; only those that differ from the default. */
  readonly #locales = new Map<string, Locale>();

  constructor(defaults: DefaultGuild, { clock, stopwatch, stopped }: Timing) {
    const { bot, guild, roles, members, strangers, general, announcements, premium } = defaults;
    this.clock = clock;
    this.stopwatch = stopwatch;
    this.stopped = stopped;
    this.nextId = createSnowflakes(clock);
    this.bot = bot;
    this.applicationId = bot.id;
    this.guildId = guild.id;
    this.roles = roles;
    this.initialRoleIds = roles.map(({ id }) => id);
    this.users = new Map(members.map(({ user }) => [user.id, user]));
    this.strangers = new Map(strangers.map((user) => [user.id, user]));
    this.members = new Map(members.map((member) => [member.user.id, member]));
    const people = members.map(({ user }) => user).filter((user) => !user.bot);
    const channels = [announcements, general, premium, ...channelsWithoutBot(people)];
    this.channels = new Map(channels.map((channel) => [channel.id, channel]));
    this.#settings = guild;
  }

  /** Sends an event to the sessions with the intent (0: all); `guildId` is null outside of guilds. */
  dispatch(name: string, data: unknown, requiredIntent: number, guildId: string | null = this.guildId): void {
    this.events.emit('dispatch', { name, data, intent: requiredIntent, guildId });
  }

  /** Reports a change of what the sidebar of a client shows. */
  changed(kind: 'channels' | 'members' | 'languages' | 'commands'): void {
    this.events.emit('change', { kind });
  }

  /** The current time in Discord's format (ISO 8601 with microseconds). */
  timestamp(): string {
    return new Date(this.clock.now()).toISOString().replace('Z', '000+00:00');
  }

  /** Any user of Discord. */
  user(id: string): User | undefined {
    return this.users.get(id) ?? this.strangers.get(id);
  }

  /** A user who is no bot and can meet the bot. @throws RejectedByClientError */
  person(userId: string): User {
    const user = this.users.get(userId);
    return user === undefined || user.bot ? reject('unknown_user', 'There is no such user') : user;
  }

  /** All users but bots. */
  get people(): User[] {
    return [...this.users.values()].filter(({ bot }) => !bot);
  }

  /** True if the user shares a guild with the bot. */
  isMember(userId: string): boolean {
    return this.members.has(userId);
  }

  guildChannels(): GuildChannel[] {
    return [...this.channels.values()]
      .filter((channel) => channel.type === 0)
      .filter((channel) => channel.guild_id === this.guildId);
  }

  /** The threads of the guild that the bot can see, active or archived. */
  threads(state: 'active' | 'archived'): Thread[] {
    return [...this.channels.values()]
      .filter(isThread)
      .filter(({ thread_metadata }) => thread_metadata.archived === (state === 'archived'))
      .filter((thread) => this.canView(this.bot.id, thread));
  }

  /** A thread as the bot gets it: with its own membership. */
  threadForBot(thread: Thread): Thread & { readonly member?: ThreadMember } {
    const member = this.threadMembers.get(thread.id)?.get(this.bot.id);
    return member === undefined ? thread : { ...thread, member };
  }

  /** The guild as GUILD_CREATE and GET /guilds/:id show it. */
  guild() {
    return { ...this.#settings, roles: this.roles };
  }

  /** The guild's language. */
  get guildLocale(): Locale {
    return this.#settings.preferred_locale;
  }

  setGuildLocale(locale: Locale): void {
    this.#settings = { ...this.#settings, preferred_locale: locale };
    this.dispatch('GUILD_UPDATE', this.guild(), intent.guilds);
    this.changed('languages');
  }

  /** The language of a user's client. */
  localeOf(userId: string): Locale {
    return this.#locales.get(userId) ?? defaultLocale;
  }

  setLocale(userId: string, locale: Locale): void {
    this.#locales.set(userId, locale);
    this.changed('languages');
  }

  /** The languages that users have selected, by user. */
  get selectedLocales(): ReadonlyMap<string, Locale> {
    return this.#locales;
  }

  /** The permissions of a member (bit set), in a channel or in the whole guild. */
  permissionsOf(userId: string, place?: GuildPlace): bigint {
    // Discord: "Permission Hierarchy". The owner needs no role.
    if (userId === this.guild().owner_id) return allPermissions;
    // "Threads inherit permissions from their parent channel."
    const channel = isThread(place) ? this.channels.get(place.parent_id) : place;
    const member = { userId, roleIds: this.members.get(userId)?.roles ?? [] };
    return channel?.type !== 0
      ? guildPermissions(member, this.roles, this.guildId)
      : channelPermissions(member, this.roles, channel);
  }

  hasPermission(userId: string, name: PermissionName, channel?: GuildPlace): boolean {
    return (this.permissionsOf(userId, channel) & permission[name]) !== 0n;
  }

  /** True if a member of the guild sees a channel; a private thread has to have added them, unless they manage threads. */
  canView(userId: string, channel: GuildPlace): boolean {
    if (!this.isMember(userId) || !this.hasPermission(userId, 'viewChannel', channel)) return false;
    const isInvited = channel.type !== threadType.private || this.threadMembers.get(channel.id)?.has(userId) === true;
    return isInvited || this.hasPermission(userId, 'manageThreads', channel);
  }

  /** True if a thread is locked for the member. */
  isClosedTo(userId: string, thread: Thread): boolean {
    return thread.thread_metadata.locked && !this.hasPermission(userId, 'manageThreads', thread);
  }

  /** The direct message channel of a member, if it exists. */
  findDirectChannel(userId: string): DirectChannel | undefined {
    const channels = [...this.channels.values()].filter((channel) => channel.type === 1);
    return channels.find(({ recipients }) => recipients[0]?.id === userId);
  }

  /** The direct message channel of a member; created if necessary. */
  openDirectChannel(user: User): DirectChannel {
    const existing = this.findDirectChannel(user.id);
    if (existing !== undefined) return existing;
    const channel: DirectChannel = { id: this.nextId(), type: 1, recipients: [user], last_message_id: null, flags: 0 };
    this.channels.set(channel.id, channel);
    this.changed('channels');
    return channel;
  }

  /** True if the user accepts direct messages from the bot. */
  setDirectMessagesAccepted(userId: string, accepted: boolean): void {
    if (accepted) this.closedDirectMessages.delete(userId);
    else this.closedDirectMessages.add(userId);
    this.changed('members');
  }

  /** Replaces the permissions that the bot is denied in a channel (bit set). */
  denyBot(channel: GuildChannel, denied: bigint): void {
    const others = channel.permission_overwrites.filter(({ id }) => id !== this.bot.id);
    const own = { id: this.bot.id, type: 1, allow: '0', deny: String(denied) } as const;
    const changed = { ...channel, permission_overwrites: denied === 0n ? others : [...others, own] };
    this.channels.set(channel.id, changed);
    this.dispatch('CHANNEL_UPDATE', changed, intent.guilds, channel.guild_id);
    this.changed('channels');
  }

  /** Deletes a channel with its threads, a thread, or a conversation. */
  deleteChannel(channel: Channel): void {
    this.channels.delete(channel.id);
    this.threadMembers.delete(channel.id);
    for (const each of this.channels.values()) {
      if (isThread(each) && each.parent_id === channel.id) this.channels.delete(each.id);
    }
    if (isThread(channel)) {
      const { id, guild_id, parent_id, type } = channel;
      this.dispatch('THREAD_DELETE', { id, guild_id, parent_id, type }, intent.guilds);
    } else if (isInGuild(channel)) this.dispatch('CHANNEL_DELETE', channel, intent.guilds, channel.guild_id);
    this.changed('channels');
  }

  setRolePermissions(role: Role, granted: bigint): void {
    const changed = { ...role, permissions: String(granted) };
    this.roles = this.roles.map((each) => (each === role ? changed : each));
    this.dispatch('GUILD_ROLE_UPDATE', { guild_id: this.guildId, role: changed }, intent.guilds);
    this.changed('members');
  }

  setRoles(member: Member, roles: readonly string[]): void {
    this.updateMember({ ...member, roles });
  }

  updateMember(updated: Member): void {
    this.members.set(updated.user.id, updated);
    const data = { ...updated, guild_id: this.guildId };
    // "Guild Member Update is sent for current-user updates regardless of whether the GUILD_MEMBERS intent is set."
    const requiredIntent = updated.user.id === this.bot.id ? intent.guilds : intent.guildMembers;
    this.dispatch('GUILD_MEMBER_UPDATE', data, requiredIntent);
    this.changed('members');
  }

  /** Discord: "Guild Create". Without the members intent it contains only the bot's own member. */
  guildCreate(intents: number) {
    const members = [...this.members.values()];
    const botMember = members.filter(({ user }) => user.id === this.bot.id);
    return {
      ...this.guild(),
      joined_at: botMember[0]?.joined_at,
      large: false,
      unavailable: false,
      member_count: members.length,
      voice_states: [],
      members: intents & intent.guildMembers ? members : botMember,
      channels: this.guildChannels(),
      threads: this.threads('active').map((thread) => this.threadForBot(thread)),
      presences: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    };
  }
}

/** @throws RejectedByClientError if Discord has no such language */
export function requireLocale(locale: string): Locale {
  if (isLocale(locale)) return locale;
  reject('unknown_locale', `Discord has no language ${locale}`);
}
