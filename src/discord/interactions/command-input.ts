import {
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type BaseInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  type MessageComponentInteraction,
  type ModalSubmitInteraction,
  PermissionFlagsBits,
} from 'discord.js';
import type { CommandInput, CompletionInput } from '../../../commands/command.ts';
import type { OptionValue } from '../../../commands/reply.ts';
import type { CustomId } from '../rendering/custom-id.ts';
import { nothingResolved, resolvedByModal, resolvedBySelect } from './resolved-objects.ts';

/** The input of a slash command; a user, channel or role option is its id. */
export function toCommandInput(interaction: ChatInputCommandInteraction): CommandInput {
  return {
    options: valuesOf(interaction.options.data),
    action: null,
    values: [],
    fields: {},
    resolved: nothingResolved,
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
    resolved: interaction.isModalSubmit() ? resolvedByModal(interaction) : resolvedBySelect(interaction),
    ...originOf(interaction),
  };
}

/** What the member has typed so far. A text that is not finished yet may be in any option. */
export function toCompletionInput(interaction: AutocompleteInteraction): CompletionInput {
  const { name, value: typed } = interaction.options.getFocused(true);
  const options = valuesOf(interaction.options.data.filter((option) => option.focused !== true));
  return { option: name, typed, options, userId: interaction.user.id, guildId: interaction.guildId };
}

function valuesOf(data: readonly CommandInteractionOption[]): Readonly<Record<string, OptionValue>> {
  const options = data.flatMap(({ name, type, value }): [string, OptionValue][] =>
    value === undefined || type === ApplicationCommandOptionType.Subcommand ? [] : [[name, value]],
  );
  return Object.fromEntries(options);
}

/** Whether the member has the permission Manage Server. */
export function isManager({ memberPermissions }: Pick<BaseInteraction, 'memberPermissions'>): boolean {
  return memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false;
}

type Origin = Omit<CommandInput, 'options' | 'action' | 'values' | 'fields' | 'resolved'>;

/** Who caused the interaction, and where. */
function originOf(interaction: BaseInteraction): Origin {
  const { id, user, member, guildId, channelId, appPermissions, locale, guildLocale } = interaction;
  return {
    userId: user.id,
    displayName: (member !== null && 'displayName' in member ? member.displayName : member?.nick) ?? user.displayName,
    guildId,
    channelId,
    roles: member === null ? null : rolesOf(member),
    isManager: isManager(interaction),
    canAttachFiles: appPermissions.has(PermissionFlagsBits.AttachFiles),
    interactionId: id,
    locale,
    guildLocale,
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
      const value: unknown = 'value' in field ? field.value : '';
      return [field.customId, typeof value === 'string' || typeof value === 'boolean' ? value : ''];
    }),
  );
}
