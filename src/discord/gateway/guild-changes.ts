import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { z } from 'zod';

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

const channel = z.object({ id: z.string(), guild_id: z.string() });
const ofGuild = z.object({ guild_id: z.string() });
const member = z.object({ guild_id: z.string(), user: z.object({ bot: z.literal(true) }) });
const guild = z.object({ id: z.string() });

/** Null for another event. Without the members intent, members are updated that are the bot alone. */
export function guildChangeOf(event: string, data: unknown): GuildChange | null {
  switch (event) {
    case GatewayDispatchEvents.ChannelUpdate: {
      const { id, guild_id: guildId } = channel.safeParse(data).data ?? {};
      return id === undefined || guildId === undefined ? null : { guildId, channelId: id };
    }
    case GatewayDispatchEvents.GuildRoleUpdate:
      return wholeGuild(ofGuild.safeParse(data).data?.guild_id);
    case GatewayDispatchEvents.GuildMemberUpdate:
      return wholeGuild(member.safeParse(data).data?.guild_id);
    case GatewayDispatchEvents.GuildCreate:
    case GatewayDispatchEvents.GuildUpdate:
      return wholeGuild(guild.safeParse(data).data?.id);
    default:
      return null;
  }
}

function wholeGuild(guildId: string | undefined): GuildChange | null {
  return guildId === undefined ? null : { guildId, channelId: null };
}
