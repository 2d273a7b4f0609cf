import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteractionDataOption,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  InteractionType,
  PermissionFlagsBits,
} from 'discord.js';
import type { CommandInput, CompletionInput } from '../../../commands/command.ts';
import type { OptionValue } from '../../../commands/reply.ts';
import type { CustomId } from '../rendering/custom-id.ts';
import { nothingResolved, resolvedBy } from './resolved-objects.ts';

/** An interaction that somebody caused; not Discord's check of an endpoint. */
export type UserInteraction =
  | APIChatInputApplicationCommandInteraction
  | APIApplicationCommandAutocompleteInteraction
  | APIMessageComponentInteraction
  | APIModalSubmitInteraction;

/** The input of a slash command; a user, channel or role option is its id. */
export function toCommandInput(interaction: APIChatInputApplicationCommandInteraction): CommandInput {
  return {
    options: valuesOf(interaction.data.options),
    action: null,
    values: [],
    fields: {},
    resolved: nothingResolved,
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

/** What the member has typed so far. A text that is not finished yet may be in any option. */
export function toCompletionInput(interaction: APIApplicationCommandAutocompleteInteraction): CompletionInput {
  const given = interaction.data.options;
  const focused = given.find((option) => 'focused' in option && option.focused === true);
  return {
    option: focused?.name ?? '',
    typed: focused !== undefined && 'value' in focused ? String(focused.value) : '',
    options: valuesOf(given.filter((option) => option !== focused)),
    userId: userOf(interaction).id,
    guildId: interaction.guild_id ?? null,
  };
}

function valuesOf(
  data: readonly APIApplicationCommandInteractionDataOption<InteractionType>[] = [],
): Readonly<Record<string, OptionValue>> {
  return Object.fromEntries(data.flatMap((option) => ('value' in option ? [[option.name, option.value]] : [])));
}

/** Whether the member has the permission Manage Server. */
export function isManager({ member }: Pick<APIInteraction, 'member'>): boolean {
  return has(member?.permissions, PermissionFlagsBits.ManageGuild);
}

/** Administrators have every permission. */
function has(permissions: string | undefined, permission: bigint): boolean {
  return (BigInt(permissions ?? 0) & (permission | PermissionFlagsBits.Administrator)) !== 0n;
}

type Origin = Omit<CommandInput, 'options' | 'action' | 'values' | 'fields' | 'resolved'>;

/** Who caused the interaction, and where. */
function originOf(interaction: UserInteraction): Origin {
  const { id, member, guild_id: guildId, channel, app_permissions, locale, guild_locale } = interaction;
  const user = userOf(interaction);
  return {
    userId: user.id,
    displayName: member?.nick ?? user.global_name ?? user.username,
    guildId: guildId ?? null,
    channelId: channel?.id ?? null,
    roles: member?.roles ?? null,
    isManager: isManager(interaction),
    canAttachFiles: has(app_permissions, PermissionFlagsBits.AttachFiles),
    interactionId: id,
    locale,
    guildLocale: guild_locale ?? null,
  };
}

/** Who caused the interaction. */
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
