import { type ButtonInteraction, type ChatInputCommandInteraction, MessageFlags } from 'discord.js';
import type { MessageBody } from './reply.ts';

/**
 * The responses to one interaction. Each method rejects with discord.js's errors. Discord: "Responding to an
 * Interaction".
 */
export interface InteractionResponder {
  /** The complete response, within 3 seconds. */
  reply(body: MessageBody): Promise<unknown>;
  /** Acknowledges within 3 seconds; the response follows within 15 minutes. */
  deferReply(): Promise<unknown>;
  /** The response after {@link deferReply}. */
  editReply(body: MessageBody): Promise<unknown>;
  /** An error message instead of the response, visible to the user alone, within 3 seconds. */
  reject(body: MessageBody): Promise<unknown>;
  /** An error message after {@link deferReply}, visible to the user alone if Discord allows it. */
  rejectDeferred(body: MessageBody): Promise<unknown>;
}

const ephemeral = { flags: MessageFlags.Ephemeral } as const;

/**
 * A slash command responds with a new message. A response that was deferred in public cannot be made ephemeral later.
 */
export function commandResponder(
  interaction: ChatInputCommandInteraction,
  visibility: 'private' | 'public',
): InteractionResponder {
  const flags = visibility === 'private' ? ephemeral : {};
  return {
    reply: (body) => interaction.reply({ ...body, ...flags }),
    deferReply: () => interaction.deferReply(flags),
    editReply: (body) => interaction.editReply(body),
    reject: (body) => interaction.reply({ ...body, ...ephemeral }),
    rejectDeferred: (body) => interaction.editReply(body),
  };
}

/** A button edits its message, and responds to errors with a new message. */
export function buttonResponder(interaction: ButtonInteraction): InteractionResponder {
  return {
    reply: (body) => interaction.update(body),
    deferReply: () => interaction.deferUpdate(),
    editReply: (body) => interaction.editReply(body),
    reject: (body) => interaction.reply({ ...body, ...ephemeral }),
    rejectDeferred: (body) => interaction.followUp({ ...body, ...ephemeral }),
  };
}
