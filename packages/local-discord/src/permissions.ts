import type { GuildChannel, Role } from './objects.ts';

/** The permissions that this server checks. Discord: "Permissions", bitwise permission flags. */
export const permission = {
  administrator: 1n << 3n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readMessageHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  useExternalEmojis: 1n << 18n,
  changeNickname: 1n << 26n,
  manageRoles: 1n << 28n,
  useApplicationCommands: 1n << 31n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  createPrivateThreads: 1n << 36n,
  sendMessagesInThreads: 1n << 38n,
} as const;

/** The permissions that the local Discord checks; a bot may have others as well. */
export type PermissionName = keyof typeof permission;

export const allPermissions = (1n << 53n) - 1n;

/** Several permissions as one bit set. */
export function permissions(...names: PermissionName[]): bigint {
  return names.reduce((set, name) => set | permission[name], 0n);
}

interface PermissionHolder {
  readonly userId: string;
  /** The ids of the roles that the member has, without @everyone. */
  readonly roleIds: readonly string[];
}

/** The guild permissions of a member, before channel overwrites. */
export function guildPermissions(holder: PermissionHolder, roles: readonly Role[], guildId: string): bigint {
  const heldRoles = roles.filter((role) => role.id === guildId || holder.roleIds.includes(role.id));
  const base = heldRoles.reduce((set, role) => set | BigInt(role.permissions), 0n);
  return (base & permission.administrator) !== 0n ? allPermissions : base;
}

/** The permissions of a member in a channel. Discord: "Permission Overwrites": @everyone, then all roles, then the member. */
export function channelPermissions(holder: PermissionHolder, roles: readonly Role[], channel: GuildChannel): bigint {
  const base = guildPermissions(holder, roles, channel.guild_id);
  if (base === allPermissions) return base;
  const overwrites = channel.permission_overwrites;
  const steps = [
    overwrites.filter(({ id }) => id === channel.guild_id),
    overwrites.filter(({ id, type }) => type === 0 && id !== channel.guild_id && holder.roleIds.includes(id)),
    overwrites.filter(({ id, type }) => type === 1 && id === holder.userId),
  ];
  const result = steps.reduce((set, step) => {
    const deny = step.reduce((sum, { deny }) => sum | BigInt(deny), 0n);
    const allow = step.reduce((sum, { allow }) => sum | BigInt(allow), 0n);
    return (set & ~deny) | allow;
  }, base);
  return (result & permission.viewChannel) === 0n ? 0n : result;
}
