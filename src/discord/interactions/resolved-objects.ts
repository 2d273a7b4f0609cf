import {
  type APIChatInputApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUserApplicationCommandInteraction,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import {
  type PostingPermission,
  postingPermissions,
  type ResolvedChannel,
  type ResolvedFile,
  type ResolvedObjects,
  type ResolvedRole,
  type ResolvedUser,
} from '../commands/input.ts';
import { hasPermission, isModerating } from '../permissions.ts';

const bits: Readonly<Record<PostingPermission, bigint>> = {
  'View Channel': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Embed Links': PermissionFlagsBits.EmbedLinks,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
};

const digits = /^\d{1,30}$/;

const nothingResolved: ResolvedObjects = { users: {}, channels: {}, roles: {} };

/** What Discord sent about the options of a command or its member, the selection in a message, or the selections in a modal. */
export function resolvedBy({
  data,
  guild_id: guildId,
}:
  | APIChatInputApplicationCommandInteraction
  | APIUserApplicationCommandInteraction
  | APIMessageComponentInteraction
  | APIModalSubmitInteraction): ResolvedObjects {
  const resolved = 'resolved' in data ? data.resolved : undefined;
  if (resolved === undefined) return nothingResolved;
  const users = 'users' in resolved ? resolved.users : undefined;
  const channels = 'channels' in resolved ? resolved.channels : undefined;
  const roles = 'roles' in resolved ? resolved.roles : undefined;
  const files = 'attachments' in resolved ? (resolved.attachments as Readonly<Record<string, object>>) : undefined;
  return {
    ...(files && { files: mapped(files, toFile) }),
    users: mapped(users, toUser),
    channels: mapped(channels, toChannel),
    // Everybody has the role @everyone, which cannot be given either. Its id is that of the guild.
    roles: mapped(roles, (role, id) => (id === guildId ? { ...toRole(role), isManaged: true } : toRole(role))),
  };
}

function mapped<From, To>(
  objects: Readonly<Record<string, From>> | undefined,
  convert: (object: From, id: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(objects ?? {}).map(([id, object]) => [id, convert(object, id)]));
}

function toUser(user: object): ResolvedUser {
  const shown = 'global_name' in user ? user.global_name : null;
  const username = 'username' in user ? user.username : null;
  return {
    name: [shown, username].find((name) => typeof name === 'string') ?? '',
    isBot: 'bot' in user && user.bot === true,
  };
}

function toChannel(channel: object): ResolvedChannel {
  const permissions = 'app_permissions' in channel ? channel.app_permissions : null;
  if (typeof permissions !== 'string' || !digits.test(permissions)) return { name: nameOf(channel), missing: null };
  const missing = postingPermissions.filter((name) => !hasPermission(permissions, bits[name]));
  return { name: nameOf(channel), missing };
}

function toRole(role: object): ResolvedRole {
  const permissions = 'permissions' in role ? role.permissions : null;
  return {
    name: nameOf(role),
    isManaged: 'managed' in role && role.managed === true,
    isModerating: typeof permissions !== 'string' || !digits.test(permissions) || isModerating(permissions),
  };
}

function toFile(file: object): ResolvedFile {
  return {
    size: 'size' in file ? Number(file.size) : 0,
    url: 'url' in file && typeof file.url === 'string' ? file.url : '',
  };
}

function nameOf(object: object): string {
  return 'name' in object && typeof object.name === 'string' ? object.name : '';
}
