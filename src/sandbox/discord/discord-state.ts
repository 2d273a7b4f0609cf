import { EventEmitter } from 'node:events';
import type { Clock } from '../../platform/clock.ts';
import type { DefaultGuild } from './default-guild.ts';
import { intent } from './intents.ts';
import type { Modal } from './modal.ts';
import type { Channel, DirectChannel, GuildChannel, Member, Message, Role, User } from './objects.ts';
import { channelPermissions, guildPermissions, type PermissionName, permission } from './permissions.ts';
import { createSnowflakes } from './snowflake.ts';

/** An event for the gateway: who hears it is decided by its intent (0: everybody) and by the shard of its guild. */
export interface Dispatch {
  readonly name: string;
  readonly data: unknown;
  readonly intent: number;
  readonly guildId: string | null;
}

/** Something changed that a person who looks at Discord would see. */
export type StateChange =
  | {
      readonly kind: 'message';
      readonly message: Message /** The one who sees it, if only one does. */;
      readonly onlyFor: string | null;
    }
  | { readonly kind: 'message_deleted'; readonly channelId: string; readonly messageId: string }
  | { readonly kind: 'channels' }
  | { readonly kind: 'members' }
  | { readonly kind: 'modal'; readonly interactionId: string; readonly userId: string; readonly modal: Modal }
  | { readonly kind: 'commands' }
  | { readonly kind: 'gateway'; readonly connected: boolean }
  | {
      readonly kind: 'interaction';
      readonly interactionId: string;
      readonly userId: string;
      /** What was used: a command as `/vote trace`, or the label of a button. */
      readonly label: string;
      readonly state: 'sent' | 'answered' | 'failed';
      /** Since it was sent (ms). */
      readonly afterMs: number;
    };

/** What there is: one guild with its channels, roles and members, and the direct conversations with them. */
export class DiscordState {
  readonly events = new EventEmitter<{ dispatch: [Dispatch]; change: [StateChange] }>();
  readonly clock: Clock;
  readonly nextId: () => string;
  readonly bot: User;
  readonly applicationId: string;
  readonly guildId: string;
  readonly roles: readonly Role[];
  readonly members: Map<string, Member>;
  readonly channels: Map<string, Channel>;
  /** Those who do not let the bot write to them. */
  readonly closedDirectMessages = new Set<string>();
  /** How many shards the bot needs for all its guilds: recommended to it, and required of a new session. */
  requiredShards = 1;

  readonly #settings: DefaultGuild['guild'];

  constructor(clock: Clock, defaults: DefaultGuild) {
    const { bot, guild, roles, members, general, announcements, premium } = defaults;
    this.clock = clock;
    this.nextId = createSnowflakes(clock);
    this.bot = bot;
    this.applicationId = bot.id;
    this.guildId = guild.id;
    this.roles = roles;
    this.members = new Map(members.map((member) => [member.user.id, member]));
    this.channels = new Map([announcements, general, premium].map((channel) => [channel.id, channel]));
    this.#settings = guild;
  }

  /** The present moment as Discord writes it (ISO 8601 with microseconds). */
  timestamp(): string {
    return new Date(this.clock.now()).toISOString().replace('Z', '000+00:00');
  }

  user(id: string): User | undefined {
    return this.members.get(id)?.user;
  }

  guildChannels(): GuildChannel[] {
    return [...this.channels.values()].filter((channel) => channel.type === 0);
  }

  /** The guild as GUILD_CREATE and GET /guilds/:id show it. */
  guild() {
    return { ...this.#settings, roles: this.roles };
  }

  /** What a member may do, in a channel or in the guild as a whole. */
  permissionsOf(userId: string, channel?: GuildChannel): bigint {
    const member = { userId, roleIds: this.members.get(userId)?.roles ?? [] };
    return channel === undefined
      ? guildPermissions(member, this.roles, this.guildId)
      : channelPermissions(member, this.roles, channel);
  }

  hasPermission(userId: string, name: PermissionName, channel?: GuildChannel): boolean {
    return (this.permissionsOf(userId, channel) & permission[name]) !== 0n;
  }

  /** The conversation between the bot and a member, if there is one. */
  findDirectChannel(userId: string): DirectChannel | undefined {
    for (const channel of this.channels.values()) {
      if (channel.type === 1 && channel.recipients[0]?.id === userId) return channel;
    }
    return undefined;
  }

  /** The conversation between the bot and a member; it is made when it is first asked for. */
  openDirectChannel(user: User): DirectChannel {
    const existing = this.findDirectChannel(user.id);
    if (existing !== undefined) return existing;
    const channel: DirectChannel = { id: this.nextId(), type: 1, recipients: [user], last_message_id: null, flags: 0 };
    this.channels.set(channel.id, channel);
    this.events.emit('change', { kind: 'channels' });
    return channel;
  }

  /** Takes a permission away from the bot in one channel, or gives it back. */
  setBotPermission(channelId: string, name: PermissionName, allowed: boolean): void {
    const channel = this.channels.get(channelId);
    if (channel?.type !== 0) return;
    const otherOverwrites = channel.permission_overwrites.filter(({ id }) => id !== this.bot.id);
    const botOverwrite = channel.permission_overwrites.find(({ id }) => id === this.bot.id);
    const denied = BigInt(botOverwrite?.deny ?? 0);
    const deny = String(allowed ? denied & ~permission[name] : denied | permission[name]);
    const overwrite = { id: this.bot.id, type: 1, allow: '0', deny } as const;
    this.#put({ ...channel, permission_overwrites: deny === '0' ? otherOverwrites : [...otherOverwrites, overwrite] });
  }

  deleteChannel(channelId: string): void {
    const channel = this.channels.get(channelId);
    if (channel === undefined || !this.channels.delete(channelId)) return;
    if (channel.type === 0) this.#tell('CHANNEL_DELETE', channel);
    this.events.emit('change', { kind: 'channels' });
  }

  setRoles(member: Member, roles: readonly string[]): void {
    const updated = { ...member, roles };
    this.members.set(member.user.id, updated);
    const data = { ...updated, guild_id: this.guildId };
    const requiredIntent = member.user.id === this.bot.id ? intent.guilds : intent.guildMembers;
    this.events.emit('dispatch', { name: 'GUILD_MEMBER_UPDATE', data, intent: requiredIntent, guildId: this.guildId });
    this.events.emit('change', { kind: 'members' });
  }

  #put(channel: GuildChannel): void {
    this.channels.set(channel.id, channel);
    this.#tell('CHANNEL_UPDATE', channel);
    this.events.emit('change', { kind: 'channels' });
  }

  #tell(name: string, channel: GuildChannel): void {
    this.events.emit('dispatch', { name, data: channel, intent: intent.guilds, guildId: channel.guild_id });
  }
}
