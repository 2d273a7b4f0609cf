import {
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  type AutocompleteInteraction,
  type BaseInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  InteractionContextType,
  type MessageComponentInteraction,
  type ModalSubmitInteraction,
  PermissionFlagsBits,
} from 'discord.js';
import type { CommandInput, CompletionInput } from '../../../commands/command.ts';
import type { OptionValue } from '../../../commands/reply.ts';
import type { CustomId } from '../rendering/custom-id.ts';

/** The input of a slash command; a user, channel or role option is its id. */
export function toCommandInput(interaction: ChatInputCommandInteraction): CommandInput {
  return {
    options: valuesOf(interaction.options.data),
    action: null,
    values: [],
    fields: {},
    ...originOf(interaction),
  };
}

/** The input of a component or a submitted modal with this custom id. */
export function toActionInput(
  interaction: MessageComponentInteraction | ModalSubmitInteraction,
  { action, options }: CustomId,
): CommandInput {
  const isSelect = interaction.isMessageComponent() && interaction.isAnySelectMenu();
  return {
    options,
    action,
    values: isSelect ? interaction.values : [],
    fields: interaction.isModalSubmit() ? fieldsOf(interaction) : {},
    ...originOf(interaction),
  };
}

/** What the member has typed so far. A text that is not finished yet may be in any option. */
export function toCompletionInput(interaction: AutocompleteInteraction): CompletionInput {
  const { name, value: typed } = interaction.options.getFocused(true);
  const options = valuesOf(interaction.options.data.filter((option) => option.focused !== true));
  return { option: name, typed, options, userId: interaction.user.id, guildId: guildOf(interaction) };
}

function valuesOf(data: readonly CommandInteractionOption[]): Readonly<Record<string, OptionValue>> {
  const options = data.flatMap(({ name, type, value }): [string, OptionValue][] =>
    value === undefined || type === ApplicationCommandOptionType.Subcommand ? [] : [[name, value]],
  );
  return Object.fromEntries(options);
}

/** Whether the member has the permission Manage Server in a guild that has the app. */
export function isManager(interaction: Place & Pick<BaseInteraction, 'memberPermissions'>): boolean {
  if (isOutside(interaction)) return false;
  return interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false;
}

/**
 * Whether the interaction comes from a guild that has not added the app, or from a conversation without the bot: the
 * member has added the app to their own account. Discord: "Interaction Context Types" and "Installation Contexts".
 */
export function isOutside({ guildId, context, authorizingIntegrationOwners: owners }: Place): boolean {
  if (guildId === null) return context === InteractionContextType.PrivateChannel;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  // A component of a message that the bot has posted without an interaction may have no owners at all.
  return owners[UserInstall] !== undefined && owners[GuildInstall] !== guildId;
}

type Place = Pick<BaseInteraction, 'guildId' | 'context' | 'authorizingIntegrationOwners'>;

/** The guild if it has the app, otherwise null: the id of another guild says nothing about a community. */
function guildOf(place: Place): string | null {
  return isOutside(place) ? null : place.guildId;
}

type Origin = Omit<CommandInput, 'options' | 'action' | 'values' | 'fields'>;

/** Who caused the interaction, and where. */
function originOf(interaction: BaseInteraction): Origin {
  const { id, user, member, channelId, appPermissions, locale, guildLocale } = interaction;
  const guildId = guildOf(interaction);
  return {
    userId: user.id,
    displayName: (member !== null && 'displayName' in member ? member.displayName : member?.nick) ?? user.displayName,
    guildId,
    channelId,
    roles: guildId === null || member === null ? null : rolesOf(member),
    isManager: isManager(interaction),
    canAttachFiles: appPermissions.has(PermissionFlagsBits.AttachFiles),
    interactionId: id,
    locale,
    guildLocale: guildId === null ? null : guildLocale,
  };
}

/**
 * The ids of the roles as Discord sent them. discord.js lists only roles of the guild's cache, which is empty without
 * the intent for guilds; the ids themselves are in a property that it does not document.
 */
function rolesOf(member: NonNullable<BaseInteraction['member']>): readonly string[] {
  const roles: unknown = Array.isArray(member.roles) ? member.roles : Reflect.get(member, '_roles');
  if (!Array.isArray(roles)) throw new Error("discord.js does not provide the member's roles.");
  return roles.filter((role) => typeof role === 'string');
}

function fieldsOf({ fields }: ModalSubmitInteraction): CommandInput['fields'] {
  return Object.fromEntries(
    fields.fields.map((field) => {
      if ('values' in field) return [field.customId, field.values];
      return [field.customId, 'value' in field && typeof field.value === 'string' ? field.value : ''];
    }),
  );
}
