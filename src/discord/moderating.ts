import { PermissionFlagsBits } from 'discord.js';

/** Who has one of these can act against members or the server. Discord: "Permissions". */
const moderating =
  PermissionFlagsBits.Administrator |
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

/** Whether a role has permissions of a moderator. @param permissions a bit set as Discord sends it, in decimal digits */
export function isModerating(permissions: string): boolean {
  return (BigInt(permissions) & moderating) !== 0n;
}
