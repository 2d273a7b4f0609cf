import { type ButtonInteraction, type ChatInputCommandInteraction, MessageFlags } from 'discord.js';
import type { MessageBody } from './reply.ts';

/**
 * The ways in which one interaction can be answered; each rejects with discord.js's errors. Discord: "Responding to an
 * Interaction".
 */
export interface Exchange {
  /** Within 3 seconds: the answer itself. */
  answer(body: MessageBody): Promise<unknown>;
  /** Within 3 seconds: the answer will come, within 15 minutes. */
  defer(): Promise<unknown>;
  /** The answer, once it was deferred. */
  answerLate(body: MessageBody): Promise<unknown>;
  /** Instead of an answer, seen only by the one who asked, as far as Discord lets us. */
  refuse(body: MessageBody): Promise<unknown>;
  refuseLate(body: MessageBody): Promise<unknown>;
}

const ephemeral = { flags: MessageFlags.Ephemeral } as const;

/** A slash command answers with a new message. What was deferred in public can no longer be refused in private. */
export function commandExchange(interaction: ChatInputCommandInteraction, visibility: 'private' | 'public'): Exchange {
  const seenBy = visibility === 'private' ? ephemeral : {};
  return {
    answer: (body) => interaction.reply({ ...body, ...seenBy }),
    defer: () => interaction.deferReply(seenBy),
    answerLate: (body) => interaction.editReply(body),
    refuse: (body) => interaction.reply({ ...body, ...ephemeral }),
    refuseLate: (body) => interaction.editReply(body),
  };
}

/** A button answers by changing the message that it is on, and refuses with a message of its own. */
export function buttonExchange(interaction: ButtonInteraction): Exchange {
  return {
    answer: (body) => interaction.update(body),
    defer: () => interaction.deferUpdate(),
    answerLate: (body) => interaction.editReply(body),
    refuse: (body) => interaction.reply({ ...body, ...ephemeral }),
    refuseLate: (body) => interaction.followUp({ ...body, ...ephemeral }),
  };
}
