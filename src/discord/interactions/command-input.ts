import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteractionDataOption,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUserApplicationCommandInteraction,
  ApplicationIntegrationType,
  InteractionContextType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import {
  type CommandInput,
  type CompletionInput,
  type PostingPermission,
  postingPermissions,
  type ResolvedChannel,
  type ResolvedFile,
  type ResolvedObjects,
  type ResolvedRole,
  type ResolvedUser,
} from '../commands/command.ts';
import type { OptionValue } from '../commands/reply.ts';
import { isModerating } from '../permissions.ts';
import type { CustomId } from '../rendering/components.ts';

/** An interaction that somebody caused; not Discord's check of an endpoint. */
export type UserInteraction =
  | APIChatInputApplicationCommandInteraction
  | APIUserApplicationCommandInteraction
  | APIApplicationCommandAutocompleteInteraction
  | APIMessageComponentInteraction
  | APIModalSubmitInteraction;

/** The input of a command. Users, channels and roles are ids; in the menu of a member, that is the option `user`. */
export function toCommandInput(
  interaction: APIChatInputApplicationCommandInteraction | APIUserApplicationCommandInteraction,
): CommandInput {
  const { data } = interaction;
  return {
    options: 'target_id' in data ? { user: data.target_id } : valuesOf(data.options),
    action: null,
    values: [],
    fields: {},
    resolved: resolvedBy(interaction),
    ...originOf(interaction),
  };
}

/** The input of a component or a submitted modal with this custom id. */
export function toActionInput(
  interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
  { action, options }: CustomId,
): CommandInput {
  return {
    options,
    action,
    values: 'values' in interaction.data ? interaction.data.values : [],
    fields: interaction.type === InteractionType.ModalSubmit ? fieldsOf(interaction) : {},
    resolved: resolvedBy(interaction),
    ...originOf(interaction),
  };
}

/** The options so far. A text that is not finished yet may be in any of them. */
export function toCompletionInput(interaction: APIApplicationCommandAutocompleteInteraction): CompletionInput {
  const given = interaction.data.options;
  const focused = given.find((option) => 'focused' in option && option.focused === true);
  return {
    option: focused?.name ?? '',
    typed: focused !== undefined && 'value' in focused ? String(focused.value) : '',
    options: valuesOf(given.filter((option) => option !== focused)),
    userId: userOf(interaction).id,
    guildId: guildOf(interaction),
    isManager: isManager(interaction),
  };
}

function valuesOf(
  data: readonly APIApplicationCommandInteractionDataOption<InteractionType>[] = [],
): Readonly<Record<string, OptionValue>> {
  return Object.fromEntries(data.flatMap((option) => ('value' in option ? [[option.name, option.value]] : [])));
}

/** True if the member has the permission Manage Server in a guild that has the app. */
export function isManager(interaction: Place & Pick<APIInteraction, 'member'>): boolean {
  return !isOutside(interaction) && hasPermission(interaction.member?.permissions, PermissionFlagsBits.ManageGuild);
}

/** The place of an interaction. Programs that play Discord, and Discord itself before 2024, leave out the owners. */
type Place = Pick<UserInteraction, 'guild_id' | 'context'> &
  Partial<Pick<UserInteraction, 'authorizing_integration_owners'>>;

/**
 * True if the interaction comes from a guild that has not added the app, or from a conversation without the bot: the
 * member has added the app to their own account. Discord: "Interaction Context Types" and "Installation Contexts".
 */
export function isOutside({ guild_id: guildId, context, authorizing_integration_owners: owners }: Place): boolean {
  if (guildId === undefined) return context === InteractionContextType.PrivateChannel;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  // A component of a message that the bot has posted without an interaction may have no owners at all.
  return owners?.[UserInstall] !== undefined && owners[GuildInstall] !== guildId;
}

/** The guild if it has the app, otherwise null: the id of another guild says nothing about a community. */
export function guildOf(place: Place): string | null {
  return isOutside(place) ? null : (place.guild_id ?? null);
}

/** True if a bit set, in decimal digits, has a permission; administrators have every one. Undefined has none. */
function hasPermission(permissions: string | undefined, permission: bigint): boolean {
  return (BigInt(permissions ?? 0) & (permission | PermissionFlagsBits.Administrator)) !== 0n;
}

type Origin = Omit<CommandInput, 'options' | 'action' | 'values' | 'fields' | 'resolved'>;

function originOf(interaction: UserInteraction): Origin {
  const { id, application_id, member, channel, app_permissions, locale, guild_locale } = interaction;
  const user = userOf(interaction);
  const guildId = guildOf(interaction);
  return {
    userId: user.id,
    displayName: member?.nick ?? user.global_name ?? user.username,
    guildId,
    channelId: channel?.id ?? null,
    roles: guildId === null ? null : (member?.roles ?? null),
    isManager: isManager(interaction),
    canAttachFiles: hasPermission(app_permissions, PermissionFlagsBits.AttachFiles),
    interactionId: id,
    applicationId: application_id,
    locale,
    guildLocale: guildId === null ? null : (guild_locale ?? null),
  };
}

export function userOf({ member, user }: Pick<UserInteraction, 'member' | 'user'>) {
  const actor = member?.user ?? user;
  if (actor === undefined) throw new Error('Discord did not send who caused the interaction.');
  return actor;
}

/** The values of a modal's fields by custom id: a text, or what was selected. */
function fieldsOf({ data }: APIModalSubmitInteraction): CommandInput['fields'] {
  const fields = data.components.flatMap((component) => {
    if ('components' in component) return component.components;
    return 'component' in component ? [component.component] : [];
  });
  return Object.fromEntries(
    fields.map((field) => {
      if ('values' in field) return [field.custom_id, field.values];
      const value: unknown = 'value' in field ? field.value : '';
      return [field.custom_id, typeof value === 'string' || typeof value === 'boolean' ? value : ''];
    }),
  );
}

const bits: Readonly<Record<PostingPermission, bigint>> = {
  'View Channel': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Embed Links': PermissionFlagsBits.EmbedLinks,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
};

const digits = /^\d{1,30}$/;

const nothingResolved: ResolvedObjects = { users: {}, channels: {}, roles: {} };

/** The objects that Discord sent for the options of a command or its member, or for the selections in a message or modal. */
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
  const members = 'members' in resolved ? resolved.members : undefined;
  const channels = 'channels' in resolved ? resolved.channels : undefined;
  const roles = 'roles' in resolved ? resolved.roles : undefined;
  const files = 'attachments' in resolved ? (resolved.attachments as Readonly<Record<string, object>>) : undefined;
  return {
    ...(files && { files: mapped(files, toFile) }),
    users: mapped(users, (user, id) => toUser(user, members?.[id])),
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

function toUser(user: object, member: { readonly roles?: readonly string[] } | undefined): ResolvedUser {
  const shown = 'global_name' in user ? user.global_name : null;
  const username = 'username' in user ? user.username : null;
  return {
    name: [shown, username].find((name) => typeof name === 'string') ?? '',
    isBot: 'bot' in user && user.bot === true,
    roles: member?.roles ?? null,
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
