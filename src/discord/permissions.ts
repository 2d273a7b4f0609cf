import { OverwriteType, PermissionFlagsBits } from 'discord-api-types/v10';

/** Roles and owner that determine a member's permissions in a guild. Bit sets are decimal strings, as in Discord's JSON. */
export interface GuildPermissionContext {
  readonly guild: {
    readonly id: string;
    readonly ownerId: string;
    readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  };
  readonly member: {
    readonly id: string;
    readonly roles: readonly string[];
    /** True if the member is timed out at the moment. */
    readonly isTimedOut: boolean;
  };
}

/** Everything that determines a member's permissions in a channel. */
export interface PermissionContext extends GuildPermissionContext {
  readonly overwrites: readonly {
    readonly id: string;
    readonly type: number;
    readonly allow: string;
    readonly deny: string;
  }[];
}

const { Administrator, ManageGuild, ViewChannel, ReadMessageHistory } = PermissionFlagsBits;
const allPermissions = ~0n;

/** Who has one of these can act against members or the server. Discord: "Permissions". */
const moderating =
  Administrator |
  PermissionFlagsBits.ManageGuild |
  PermissionFlagsBits.ManageRoles |
  PermissionFlagsBits.ManageChannels |
  PermissionFlagsBits.ManageThreads |
  PermissionFlagsBits.ManageWebhooks |
  PermissionFlagsBits.ManageMessages |
  PermissionFlagsBits.ManageNicknames |
  PermissionFlagsBits.ManageGuildExpressions |
  PermissionFlagsBits.ManageEvents |
  PermissionFlagsBits.KickMembers |
  PermissionFlagsBits.BanMembers |
  PermissionFlagsBits.ModerateMembers |
  PermissionFlagsBits.MuteMembers |
  PermissionFlagsBits.DeafenMembers |
  PermissionFlagsBits.MoveMembers;

/** True if a role has permissions of a moderator. @param permissions a bit set as Discord sends it, in decimal digits */
export function isModerating(permissions: string): boolean {
  return (BigInt(permissions) & moderating) !== 0n;
}

/** All for the owner and administrators; otherwise those of the roles, whether or not the member is timed out. */
export function permissionsOfRoles({
  guild,
  member,
}: {
  readonly guild: GuildPermissionContext['guild'];
  readonly member: Omit<GuildPermissionContext['member'], 'isTimedOut'>;
}): bigint {
  const memberRoles = guild.roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
  const granted = memberRoles.reduce((set, { permissions }) => set | BigInt(permissions), 0n);
  return member.id === guild.ownerId || (granted & Administrator) !== 0n ? allPermissions : granted;
}

/** True if a member has the permission Manage Server. Who is timed out keeps only those to read, unless an administrator. */
export function mayManage(context: GuildPermissionContext): boolean {
  const permissions = permissionsOfRoles(context);
  return permissions === allPermissions || (!context.member.isTimedOut && (permissions & ManageGuild) !== 0n);
}

/** A member's permissions in a channel, as a bit set. Discord: "Permission Hierarchy", "Permission Overwrites". */
export function permissionsIn({ guild, member, overwrites }: PermissionContext): bigint {
  const base = permissionsOfRoles({ guild, member });
  if (base === allPermissions) return allPermissions;

  const isOfRole = (id: string, type: number) => type === OverwriteType.Role && member.roles.includes(id);
  const isOfMember = (id: string, type: number) => type === OverwriteType.Member && id === member.id;
  const steps = [
    overwrites.filter(({ id }) => id === guild.id),
    overwrites.filter(({ id, type }) => id !== guild.id && isOfRole(id, type)),
    overwrites.filter(({ id, type }) => isOfMember(id, type)),
  ];
  const union = (step: PermissionContext['overwrites'], key: 'allow' | 'deny') =>
    step.reduce((set, overwrite) => set | BigInt(overwrite[key]), 0n);
  const result = steps.reduce((set, step) => (set & ~union(step, 'deny')) | union(step, 'allow'), base);
  if ((result & ViewChannel) === 0n) return 0n;
  return member.isTimedOut ? result & (ViewChannel | ReadMessageHistory) : result;
}
