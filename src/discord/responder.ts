import { type ButtonInteraction, type ChatInputCommandInteraction, MessageFlags } from 'discord.js';
import type { MessageBody } from './reply.ts';

/**
 * The ways in which one interaction can be answered; each rejects with discord.js's errors. Discord: "Responding to an
 * Interaction".
 */
export interface InteractionResponder {
  /** Within 3 seconds: the answer itself. */
  reply(body: MessageBody): Promise<unknown>;
  /** Within 3 seconds: the answer will come, within 15 minutes. */
  defer(): Promise<unknown>;
  /** The answer, once it was deferred. */
  editReply(body: MessageBody): Promise<unknown>;
  /** Instead of an answer, seen only by the one who asked, as far as Discord lets us. */
  reject(body: MessageBody): Promise<unknown>;
  rejectDeferred(body: MessageBody): Promise<unknown>;
}

const ephemeral = { flags: MessageFlags.Ephemeral } as const;

/** A slash command answers with a new message. What was deferred in public can no longer be refused in private. */
export function commandResponder(
  interaction: ChatInputCommandInteraction,
  visibility: 'private' | 'public',
): InteractionResponder {
  const seenBy = visibility === 'private' ? ephemeral : {};
  return {
    reply: (body) => interaction.reply({ ...body, ...seenBy }),
    defer: () => interaction.deferReply(seenBy),
    editReply: (body) => interaction.editReply(body),
    reject: (body) => interaction.reply({ ...body, ...ephemeral }),
    rejectDeferred: (body) => interaction.editReply(body),
  };
}

/** A button answers by changing the message that it is on, and refuses with a message of its own. */
export function buttonResponder(interaction: ButtonInteraction): InteractionResponder {
  return {
    reply: (body) => interaction.update(body),
    defer: () => interaction.deferUpdate(),
    editReply: (body) => interaction.editReply(body),
    reject: (body) => interaction.reply({ ...body, ...ephemeral }),
    rejectDeferred: (body) => interaction.followUp({ ...body, ...ephemeral }),
  };
}
