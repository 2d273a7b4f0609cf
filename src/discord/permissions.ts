import { OverwriteType, PermissionFlagsBits } from 'discord.js';

/**
 * Everything that determines a member's permissions in a channel. Bit sets are decimal strings, as in Discord's JSON.
 */
export interface PermissionContext {
  readonly guild: {
    readonly id: string;
    readonly ownerId: string;
    readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  };
  readonly member: {
    readonly id: string;
    readonly roles: readonly string[];
    /** Whether the member is timed out at the moment. */
    readonly isTimedOut: boolean;
  };
  readonly overwrites: readonly {
    readonly id: string;
    readonly type: number;
    readonly allow: string;
    readonly deny: string;
  }[];
}

const { Administrator, ViewChannel, ReadMessageHistory } = PermissionFlagsBits;
const allPermissions = ~0n;

/**
 * The permissions of a member in a channel, as a bit set. Discord: "Permissions", "Permission Hierarchy" and
 * "Permission Overwrites".
 */
export function permissionsIn({ guild, member, overwrites }: PermissionContext): bigint {
  const memberRoles = guild.roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
  const base = memberRoles.reduce((set, { permissions }) => set | BigInt(permissions), 0n);
  if (member.id === guild.ownerId || (base & Administrator) !== 0n) return allPermissions;

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
