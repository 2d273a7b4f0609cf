import { objectOf } from '@tallyhook/platform/json';
import { GatewayDispatchEvents } from 'discord-api-types/v10';

/**
 * Something changed in a guild: the permissions of a channel, or (without a channel) the guild itself with its language,
 * or its roles, their order and their permissions. Discord may then accept what it has rejected.
 */
export interface GuildChange {
  readonly guildId: string;
  readonly channelId: string | null;
}

/** The events that say so. The bot is in a guild again after the last one, or may have missed others before it. */
export const guildChangeEvents = [
  GatewayDispatchEvents.ChannelUpdate,
  GatewayDispatchEvents.GuildRoleUpdate,
  GatewayDispatchEvents.GuildMemberUpdate,
  GatewayDispatchEvents.GuildCreate,
  GatewayDispatchEvents.GuildUpdate,
] as const;

/** Null for another event. Without the members intent, members are updated that are the bot alone. */
export function guildChangeOf(event: string, data: unknown): GuildChange | null {
  const { id, guild_id: guildId, user } = objectOf(data);
  switch (event) {
    case GatewayDispatchEvents.ChannelUpdate:
      return typeof id === 'string' && typeof guildId === 'string' ? { guildId, channelId: id } : null;
    case GatewayDispatchEvents.GuildRoleUpdate:
      return wholeGuild(guildId);
    case GatewayDispatchEvents.GuildMemberUpdate:
      return objectOf(user)['bot'] === true ? wholeGuild(guildId) : null;
    case GatewayDispatchEvents.GuildCreate:
    case GatewayDispatchEvents.GuildUpdate:
      return wholeGuild(id);
    default:
      return null;
  }
}

function wholeGuild(guildId: unknown): GuildChange | null {
  return typeof guildId === 'string' ? { guildId, channelId: null } : null;
}
