import {
  type MessageComponentInteraction,
  type ModalSubmitInteraction,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import type { PostingPermission, ResolvedChannel, ResolvedObjects, ResolvedRole } from '../../../commands/command.ts';

const bits: Readonly<Record<PostingPermission, bigint>> = {
  'View Channel': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Embed Links': PermissionFlagsBits.EmbedLinks,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
};

export const nothingResolved: ResolvedObjects = { channels: {}, roles: {} };

/** What Discord sent about the selection in a message. */
export function resolvedBySelect(interaction: MessageComponentInteraction): ResolvedObjects {
  return {
    channels: interaction.isChannelSelectMenu() ? mapped(interaction.channels, toChannel) : {},
    roles: interaction.isRoleSelectMenu() ? mapped(interaction.roles, toRole) : {},
  };
}

/** What Discord sent about the selections in a modal. */
export function resolvedByModal({ fields, guildId }: ModalSubmitInteraction): ResolvedObjects {
  const found: { channels: Record<string, ResolvedChannel>; roles: Record<string, ResolvedRole> } = {
    channels: {},
    roles: {},
  };
  for (const field of fields.fields.values()) {
    if ('channels' in field && field.channels) Object.assign(found.channels, mapped(field.channels, toChannel));
    if ('roles' in field && field.roles) Object.assign(found.roles, mapped(field.roles, toRole));
  }
  const everyone = guildId === null ? undefined : found.roles[guildId];
  if (guildId === null || everyone === undefined) return found;
  return { ...found, roles: { ...found.roles, [guildId]: { ...everyone, isManaged: true } } };
}

function mapped<From, To>(objects: ReadonlyMap<string, From>, convert: (object: From) => To): Record<string, To> {
  return Object.fromEntries([...objects].map(([id, object]) => [id, convert(object)]));
}

/** discord.js replaces the channel of a guild in its cache by an object of its own. */
function toChannel(channel: object | null): ResolvedChannel {
  const permissions = permissionsOf(channel);
  const missing = (Object.entries(bits) as [PostingPermission, bigint][]).flatMap(([name, bit]) =>
    permissions === null || permissions.has(bit) ? [] : [name],
  );
  return { name: nameOf(channel), missing: permissions === null ? null : missing };
}

function permissionsOf(channel: object | null): PermissionsBitField | null {
  if (channel === null) return null;
  if ('appPermissions' in channel && channel.appPermissions instanceof PermissionsBitField) {
    return channel.appPermissions;
  }
  const raw = 'app_permissions' in channel ? channel.app_permissions : null;
  return typeof raw === 'string' && /^\d{1,30}$/.test(raw) ? new PermissionsBitField(BigInt(raw)) : null;
}

function toRole(role: object | null): ResolvedRole {
  return { name: nameOf(role), isManaged: role !== null && 'managed' in role && role.managed === true };
}

function nameOf(object: object | null): string {
  return object !== null && 'name' in object && typeof object.name === 'string' ? object.name : '';
}
