import type { Commands, StoredCommand } from './commands.ts';
import type { DiscordState } from './discord-state.ts';
import type { Channel } from './objects.ts';
import { permission } from './permissions.ts';
import { isWithoutBot, otherGuildPermissions } from './places-without-bot.ts';

/** The commands that exist in a channel; members without the permission for one do not see it there. */
export function commandsIn(commands: Commands, channel: Channel): StoredCommand[] {
  if (isWithoutBot(channel)) return commands.availableToUsers(channel.type === 0 ? 0 : 2);
  return commands.availableIn(channel.type === 0 ? channel.guild_id : null);
}

/** The commands that Discord's client offers a member in a channel. */
export function offeredCommands(
  { state, commands }: { readonly state: DiscordState; readonly commands: Commands },
  userId: string,
  channel: Channel,
): StoredCommand[] {
  if (!isIn(state, userId, channel)) return [];
  return commandsIn(commands, channel).filter((command) => mayUse(state, command, userId, channel));
}

/**
 * Whether a member has the permissions that a command requires. Discord: "Application Command Permissions": `0` is for
 * administrators only, and in conversations there are no permissions.
 */
export function mayUse(
  state: DiscordState,
  { default_member_permissions: required }: Pick<StoredCommand, 'default_member_permissions'>,
  userId: string,
  channel: Channel,
): boolean {
  if (required == null || channel.type !== 0) return true;
  const bits = BigInt(required) || permission.administrator;
  const held = isWithoutBot(channel)
    ? otherGuildPermissions(userId, state.people)
    : state.permissionsOf(userId, channel);
  return (held & bits) === bits;
}

/** Whether a member is in the channel and may use commands there. */
export function isIn(state: DiscordState, userId: string, channel: Channel): boolean {
  if (channel.type !== 0) return channel.recipients.some(({ id }) => id === userId);
  if (isWithoutBot(channel)) return true;
  return state.isMember(userId) && state.hasPermission(userId, 'useApplicationCommands', channel);
}
