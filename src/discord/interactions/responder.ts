import {
  type APIModalInteractionResponseCallbackData,
  type ChatInputCommandInteraction,
  type MessageComponentInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { MessageBody } from '../rendering/message.ts';

/** Whether a response is a new message, or replaces the message of the component. */
export type ResponseKind = 'new' | 'update';

/**
 * The responses to one interaction. Each method rejects with discord.js's errors. Discord: "Responding to an
 * Interaction".
 */
export interface InteractionResponder {
  /** Whether an update replaces a message of panels, which can never contain an embed. */
  readonly updatesPanel: boolean;
  /** The complete response, within 3 seconds. Without a message of a component it is always a new message. */
  reply(body: MessageBody, kind: ResponseKind): Promise<unknown>;
  /** The complete response, within 3 seconds; null where Discord allows no modal. */
  readonly showModal: ((modal: APIModalInteractionResponseCallbackData) => Promise<unknown>) | null;
  /** Acknowledges within 3 seconds; the response follows within 15 minutes. */
  deferReply(): Promise<unknown>;
  /** The response after {@link deferReply}. */
  editReply(body: MessageBody, kind: ResponseKind): Promise<unknown>;
  /** Replaces the response of this kind, within 15 minutes. */
  replaceReply(body: MessageBody, kind: ResponseKind): Promise<unknown>;
  /** An error message instead of the response, visible to the user alone, within 3 seconds. */
  reject(body: MessageBody): Promise<unknown>;
  /** An error message after {@link deferReply}, visible to the user alone if Discord allows it. */
  rejectDeferred(body: MessageBody): Promise<unknown>;
  /** A further message after a response, visible to the user alone. */
  followUp(body: MessageBody): Promise<unknown>;
}

const ephemeral = { flags: MessageFlags.Ephemeral } as const;

function toMember(body: MessageBody) {
  return { ...body, flags: [MessageFlags.Ephemeral, ...('flags' in body ? [body.flags] : [])] } as const;
}

/**
 * A slash command responds with a new message. A response that was deferred in public cannot be made ephemeral later.
 */
export function commandResponder(
  interaction: ChatInputCommandInteraction,
  visibility: 'private' | 'public',
): InteractionResponder {
  return { ...newMessageResponder(interaction, visibility), showModal: (modal) => interaction.showModal(modal) };
}

/** A button or select edits its message or sends a new one to the member, and responds to errors with a new one. */
export function componentResponder(interaction: MessageComponentInteraction): InteractionResponder {
  return { ...messageResponder(interaction, interaction), showModal: (modal) => interaction.showModal(modal) };
}

/** A modal responds as what opened it: a component, or a command of this visibility. */
export function modalResponder(
  interaction: ModalSubmitInteraction,
  visibility: 'private' | 'public',
): InteractionResponder {
  const responder = interaction.isFromMessage()
    ? messageResponder(interaction, interaction)
    : newMessageResponder(interaction, visibility);
  return { ...responder, showModal: null };
}

type WithoutModal = Omit<InteractionResponder, 'showModal'>;

function newMessageResponder(
  interaction: ChatInputCommandInteraction | ModalSubmitInteraction,
  visibility: 'private' | 'public',
): WithoutModal {
  const isPrivate = visibility === 'private';
  return {
    updatesPanel: false,
    reply: (body) => interaction.reply(isPrivate ? toMember(body) : body),
    // The edit sets the flag of panels; the deferral must not have it.
    deferReply: () => interaction.deferReply(isPrivate ? ephemeral : {}),
    editReply: (body) => interaction.editReply(body),
    replaceReply: (body) => interaction.editReply(body),
    reject: (body) => interaction.reply(toMember(body)),
    rejectDeferred: (body) => interaction.editReply(body),
    followUp: (body) => interaction.followUp(toMember(body)),
  };
}

/** A deferred update changes nothing yet, so the response can still be either kind. */
function messageResponder(
  interaction:
    | MessageComponentInteraction
    | (ModalSubmitInteraction & { update: MessageComponentInteraction['update'] }),
  { message }: Pick<MessageComponentInteraction, 'message'>,
): WithoutModal {
  const updatesPanel = message.flags.has(MessageFlags.IsComponentsV2);
  const replacing = (body: MessageBody) => ({
    ...body,
    // Discord keeps the files of an edited message that the edit does not list.
    ...(message.attachments.size > 0 ? { attachments: [] } : {}),
    ...('flags' in body && !updatesPanel ? { content: null, embeds: [] } : {}),
  });
  const followUp = (body: MessageBody) => interaction.followUp(toMember(body));
  const replyToMember = (body: MessageBody) => interaction.reply(toMember(body));
  return {
    updatesPanel,
    reply: (body, kind) => (kind === 'update' ? interaction.update(replacing(body)) : replyToMember(body)),
    deferReply: () => interaction.deferUpdate(),
    editReply: (body, kind) => (kind === 'update' ? interaction.editReply(replacing(body)) : followUp(body)),
    replaceReply: (body, kind) => interaction.editReply(kind === 'update' ? replacing(body) : body),
    reject: replyToMember,
    rejectDeferred: followUp,
    followUp,
  };
}
