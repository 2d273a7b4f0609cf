import { EventEmitter } from 'node:events';
import type { Clock } from '../../platform/clock.ts';
import type { DefaultGuild } from './default-guild.ts';
import type { Dispatch, StateChange } from './events.ts';
import { intent } from './intents.ts';
import { defaultLocale, type Locale } from './locales.ts';
import type { Channel, DirectChannel, GuildChannel, Member, Role, User } from './objects.ts';
import { channelPermissions, guildPermissions, type PermissionName, permission } from './permissions.ts';
import { channelsWithoutBot, isWithoutBot } from './places-without-bot.ts';

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

/** The creation time of a snowflake (ms since the Unix epoch). */
export function snowflakeTimestamp(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + discordEpoch;
}

/** The state of the local Discord: one guild with its channels, roles and members, and the direct message channels. */
export class DiscordState {
  readonly events = new EventEmitter<{ dispatch: [Dispatch]; change: [StateChange] }>();
  readonly clock: Clock;
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
  readonly channels: Map<string, Channel>;
  /** Ids of the users who do not accept direct messages from the bot. */
  readonly closedDirectMessages = new Set<string>();
  /** The number of shards that Discord recommends to the bot and requires of new sessions. */
  requiredShards = 1;
  /** How many sessions the bot may still start, as Discord says it. */
  remainingSessions = 999;

  #settings: DefaultGuild['guild'];
  /** By user; only those that differ from the default. */
  readonly #locales = new Map<string, Locale>();

  constructor(clock: Clock, defaults: DefaultGuild) {
    const { bot, guild, roles, members, strangers, general, announcements, premium } = defaults;
    this.clock = clock;
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

  /** The current time in Discord's format (ISO 8601 with microseconds). */
  timestamp(): string {
    return new Date(this.clock.now()).toISOString().replace('Z', '000+00:00');
  }

  /** Any user of Discord. */
  user(id: string): User | undefined {
    return this.users.get(id) ?? this.strangers.get(id);
  }

  /** All users but bots. */
  get people(): User[] {
    return [...this.users.values()].filter(({ bot }) => !bot);
  }

  /** Whether the user shares a guild with the bot. */
  isMember(userId: string): boolean {
    return this.members.has(userId);
  }

  guildChannels(): GuildChannel[] {
    return [...this.channels.values()]
      .filter((channel) => channel.type === 0)
      .filter((channel) => channel.guild_id === this.guildId);
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
    const { guildId } = this;
    this.events.emit('dispatch', { name: 'GUILD_UPDATE', data: this.guild(), intent: intent.guilds, guildId });
    this.events.emit('change', { kind: 'languages' });
  }

  /** The language of a user's client. */
  localeOf(userId: string): Locale {
    return this.#locales.get(userId) ?? defaultLocale;
  }

  setLocale(userId: string, locale: Locale): void {
    this.#locales.set(userId, locale);
    this.events.emit('change', { kind: 'languages' });
  }

  /** The languages that users have selected, by user. */
  get selectedLocales(): ReadonlyMap<string, Locale> {
    return this.#locales;
  }

  /** The permissions of a member (bit set), in a channel or in the whole guild. */
  permissionsOf(userId: string, channel?: GuildChannel): bigint {
    const member = { userId, roleIds: this.members.get(userId)?.roles ?? [] };
    return channel === undefined
      ? guildPermissions(member, this.roles, this.guildId)
      : channelPermissions(member, this.roles, channel);
  }

  hasPermission(userId: string, name: PermissionName, channel?: GuildChannel): boolean {
    return (this.permissionsOf(userId, channel) & permission[name]) !== 0n;
  }

  /** The direct message channel of a member, if it exists. */
  findDirectChannel(userId: string): DirectChannel | undefined {
    for (const channel of this.channels.values()) {
      if (channel.type === 1 && channel.recipients[0]?.id === userId) return channel;
    }
    return undefined;
  }

  /** The direct message channel of a member; created if necessary. */
  openDirectChannel(user: User): DirectChannel {
    const existing = this.findDirectChannel(user.id);
    if (existing !== undefined) return existing;
    const channel: DirectChannel = { id: this.nextId(), type: 1, recipients: [user], last_message_id: null, flags: 0 };
    this.channels.set(channel.id, channel);
    this.events.emit('change', { kind: 'channels' });
    return channel;
  }

  /** Whether the user accepts direct messages from the bot. */
  setDirectMessagesAccepted(userId: string, accepted: boolean): void {
    if (accepted) this.closedDirectMessages.delete(userId);
    else this.closedDirectMessages.add(userId);
    this.events.emit('change', { kind: 'members' });
  }

  /** Denies the bot a permission in one channel, or removes the denial. */
  setBotPermission(channelId: string, name: PermissionName, allowed: boolean): void {
    const channel = this.channels.get(channelId);
    if (channel?.type !== 0 || isWithoutBot(channel)) return;
    const otherOverwrites = channel.permission_overwrites.filter(({ id }) => id !== this.bot.id);
    const botOverwrite = channel.permission_overwrites.find(({ id }) => id === this.bot.id);
    const deniedPermissions = BigInt(botOverwrite?.deny ?? 0);
    const deny = String(allowed ? deniedPermissions & ~permission[name] : deniedPermissions | permission[name]);
    const overwrite = { id: this.bot.id, type: 1, allow: '0', deny } as const;
    this.#updateChannel({
      ...channel,
      permission_overwrites: deny === '0' ? otherOverwrites : [...otherOverwrites, overwrite],
    });
  }

  /** Adds a permission to the bot's own role, or removes it. */
  setBotRolePermission(name: PermissionName, allowed: boolean): void {
    const ownRole = this.roles.find(({ tags }) => tags?.bot_id === this.bot.id);
    if (ownRole === undefined) return;
    const others = BigInt(ownRole.permissions) & ~permission[name];
    const role = { ...ownRole, permissions: String(allowed ? others | permission[name] : others) };
    this.roles = this.roles.map((each) => (each === ownRole ? role : each));
    const { guildId } = this;
    this.events.emit('dispatch', {
      name: 'GUILD_ROLE_UPDATE',
      data: { guild_id: guildId, role },
      intent: intent.guilds,
      guildId,
    });
  }

  deleteChannel(channelId: string): void {
    const channel = this.channels.get(channelId);
    if (channel === undefined || !this.channels.delete(channelId)) return;
    if (channel.type === 0) this.#dispatchChannel('CHANNEL_DELETE', channel);
    this.events.emit('change', { kind: 'channels' });
  }

  setRoles(member: Member, roles: readonly string[]): void {
    const updated = { ...member, roles };
    this.members.set(member.user.id, updated);
    const data = { ...updated, guild_id: this.guildId };
    // "Guild Member Update is sent for current-user updates regardless of whether the GUILD_MEMBERS intent is set."
    const requiredIntent = member.user.id === this.bot.id ? intent.guilds : intent.guildMembers;
    this.events.emit('dispatch', { name: 'GUILD_MEMBER_UPDATE', data, intent: requiredIntent, guildId: this.guildId });
    this.events.emit('change', { kind: 'members' });
  }

  #updateChannel(channel: GuildChannel): void {
    this.channels.set(channel.id, channel);
    this.#dispatchChannel('CHANNEL_UPDATE', channel);
    this.events.emit('change', { kind: 'channels' });
  }

  #dispatchChannel(name: string, channel: GuildChannel): void {
    this.events.emit('dispatch', { name, data: channel, intent: intent.guilds, guildId: channel.guild_id });
  }
}
