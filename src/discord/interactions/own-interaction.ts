import { ApplicationCommandType, InteractionType } from 'discord-api-types/v10';
import type { NamedCommand } from '../commands/command.ts';
import { isOwnCustomId } from '../rendering/custom-id.ts';

/** What tells whose an interaction is: of one of discord.js, or as Discord sent it. @category Commands */
export interface AnyInteraction {
  readonly id?: string;
  readonly type: number;
  /** Of discord.js. */
  readonly commandId?: string;
  readonly commandName?: string;
  readonly commandType?: number;
  readonly customId?: string;
  /** Of Discord. */
  readonly data?: {
    readonly id?: string;
    readonly name?: string;
    readonly type?: number;
    readonly custom_id?: string;
  } | null;
}

/**
 * Whether this program answers the interaction: one of its commands, buttons, selects or modals.
 * @param isKnown whether this program answers the use of a command
 */
export function isOwnInteraction(
  interaction: AnyInteraction,
  isKnown: (command: NamedCommand & { readonly id: string }, interactionId: string | undefined) => boolean,
): boolean {
  const { type, data } = interaction;
  const { ChatInput, User } = ApplicationCommandType;
  function isCommand(commandType: number | undefined): boolean {
    const id = interaction.commandId ?? data?.id ?? '';
    const name = interaction.commandName ?? data?.name ?? '';
    const isAnswered = commandType === ChatInput || commandType === User;
    return isAnswered && isKnown({ id, name, type: commandType }, interaction.id);
  }
  switch (type) {
    case InteractionType.ApplicationCommand:
      return isCommand(interaction.commandType ?? data?.type);
    case InteractionType.ApplicationCommandAutocomplete:
      return isCommand(ChatInput);
    case InteractionType.MessageComponent:
    case InteractionType.ModalSubmit:
      return isOwnCustomId(interaction.customId ?? data?.custom_id ?? '');
    default:
      return false;
  }
}
