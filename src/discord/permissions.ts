import { OverwriteType, PermissionFlagsBits } from 'discord.js';

/** What decides what a member may do in a channel. Bit sets are decimal strings, as on the wire. */
export interface PermissionContext {
  readonly guild: {
    readonly id: string;
    readonly ownerId: string;
    readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  };
  readonly member: {
    readonly id: string;
    readonly roles: readonly string[];
    /** Has been timed out just now. */
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
const everything = ~0n;

/** The permissions of a member in a channel, as a bit set. Discord: "Permissions", "Permission Hierarchy" and "Permission Overwrites". */
export function permissionsIn({ guild, member, overwrites }: PermissionContext): bigint {
  const held = guild.roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
  const base = held.reduce((set, { permissions }) => set | BigInt(permissions), 0n);
  if (member.id === guild.ownerId || (base & Administrator) !== 0n) return everything;

  const isOfRole = (id: string, type: number) => type === OverwriteType.Role && member.roles.includes(id);
  const isOfMember = (id: string, type: number) => type === OverwriteType.Member && id === member.id;
  const steps = [
    overwrites.filter(({ id }) => id === guild.id),
    overwrites.filter(({ id, type }) => id !== guild.id && isOfRole(id, type)),
    overwrites.filter(({ id, type }) => isOfMember(id, type)),
  ];
  const together = (step: PermissionContext['overwrites'], side: 'allow' | 'deny') =>
    step.reduce((set, overwrite) => set | BigInt(overwrite[side]), 0n);
  const result = steps.reduce((set, step) => (set & ~together(step, 'deny')) | together(step, 'allow'), base);
  if ((result & ViewChannel) === 0n) return 0n;
  return member.isTimedOut ? result & (ViewChannel | ReadMessageHistory) : result;
}
