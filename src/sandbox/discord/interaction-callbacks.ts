import type { UploadedFile } from './body.ts';
import { type Callback, callbackSchema, callbackType } from './callback-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, fieldError } from './errors.ts';
import type { Files } from './files.ts';
import { type Interaction, type Interactions, interactionType } from './interactions.ts';
import { messageFlag, messageType } from './message-flags.ts';
import { type MessagePayload, messageSchema, validateEdit, withLayoutFlag } from './message-schema.ts';
import type { Messages } from './messages.ts';
import type { InteractionMetadata, Message } from './objects.ts';
import { validate } from './validate.ts';

/** "Interactions … limited to five followup messages per interaction", where only the user has installed the app. */
const maxFollowUps = 5;

/** The callback types that each interaction type accepts. */
const allowedCallbacks: Readonly<Record<number, readonly number[]>> = {
  [interactionType.command]: [4, 5, 9],
  [interactionType.component]: [4, 5, 6, 7, 9],
  [interactionType.autocomplete]: [8],
  [interactionType.modal]: [4, 5, 6, 7],
};

/** Turns the bot's responses to interactions into messages. Discord: "Receiving and Responding". */
export class InteractionCallbacks {
  readonly #state: DiscordState;
  readonly #messages: Messages;
  readonly #interactions: Interactions;
  readonly #files: Files;

  constructor(state: DiscordState, messages: Messages, interactions: Interactions, files: Files) {
    this.#state = state;
    this.#messages = messages;
    this.#interactions = interactions;
    this.#files = files;
  }

  /** The initial response. Returns the message that it created or edited, if any. */
  respond(id: string, token: string, body: unknown, files: readonly UploadedFile[]) {
    const interaction = this.#interactions.findUnanswered(id, token);
    const callback = validate(callbackSchema, this.#asEditOfSource(interaction, body));
    const allowed = allowedCallbacks[interaction.type] ?? [];
    if (!allowed.includes(callback.type)) {
      throw fieldError(['type'], 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
    }
    const message = this.#apply(interaction, callback, files);
    if (message !== undefined) interaction.originalId = message.id;
    this.#interactions.acknowledge(interaction, callback);
    if (message !== undefined && callback.type !== callbackType.deferredUpdate)
      this.#settleIfShown(interaction, message);
    return { interaction, callback, message };
  }

  /** A message of an interaction; `@original` is its initial response. */
  message(token: string, messageId: string): Message {
    const interaction = this.#interactions.findByToken(token);
    return this.#ownMessage(interaction, messageId);
  }

  edit(token: string, messageId: string, body: unknown, files: readonly UploadedFile[]): Message {
    const interaction = this.#interactions.findByToken(token);
    const message = this.#ownMessage(interaction, messageId);
    return this.#edit(interaction, message, validateEdit(message, body), files);
  }

  delete(token: string, messageId: string): void {
    const interaction = this.#interactions.findByToken(token);
    this.#messages.delete(this.#ownMessage(interaction, messageId).id);
  }

  /** A follow-up message. As on Discord, the first one after a deferral replaces "is thinking…". */
  followUp(token: string, body: unknown, files: readonly UploadedFile[]): Message {
    const interaction = this.#interactions.findByToken(token);
    const payload = validate(messageSchema, body);
    const original = interaction.originalId === null ? undefined : this.#messages.find(interaction.originalId)?.message;
    if (original && original.flags & messageFlag.loading) return this.#edit(interaction, original, payload, files);
    if (interaction.owners['0'] === undefined && interaction.followUps >= maxFollowUps)
      throw errorResponse.tooManyFollowUps();
    interaction.followUps += 1;
    const message = this.#create(interaction, payload, files, (payload.flags ?? 0) & messageFlag.ephemeral);
    interaction.settled.resolve(message);
    return message;
  }

  #apply(interaction: Interaction, respond: Callback, files: readonly UploadedFile[]): Message | undefined {
    switch (respond.type) {
      case callbackType.message:
        return this.#create(interaction, respond.data, files, (respond.data.flags ?? 0) & messageFlag.ephemeral);
      case callbackType.deferredMessage: {
        const ephemeral = (respond.data?.flags ?? 0) & messageFlag.ephemeral;
        return this.#create(interaction, {}, [], ephemeral | messageFlag.loading);
      }
      case callbackType.deferredUpdate:
        return this.#source(interaction);
      case callbackType.update:
        return this.#edit(interaction, this.#source(interaction), respond.data, files);
      default:
        return undefined;
    }
  }

  #create(
    interaction: Interaction,
    payload: Partial<MessagePayload>,
    files: readonly UploadedFile[],
    flags: number,
  ): Message {
    const channel = this.#state.channels.get(interaction.channelId);
    const user = this.#state.user(interaction.userId);
    if (channel === undefined || user === undefined) throw errorResponse.unknownChannel();
    const complete = validate(messageSchema, payload);
    const isCommand = interaction.type === interactionType.command;
    const trigger = { id: interaction.id, type: interaction.type, user };
    const message = this.#messages.create({
      channel,
      author: this.#state.bot,
      content: this.#files.attach(files, complete, { ephemeral: (flags & messageFlag.ephemeral) !== 0 }),
      flags,
      onlyFor: flags & messageFlag.ephemeral ? interaction.userId : null,
      extra: {
        application_id: this.#state.applicationId,
        webhook_id: this.#state.applicationId,
        type: isCommand ? messageType.chatInputCommand : messageType.default,
        interaction_metadata: toMetadata(interaction, this.#state, this.#interactions),
        ...(isCommand ? { interaction: { ...trigger, name: interaction.label.slice(1) } } : {}),
      },
    });
    interaction.messageIds.push(message.id);
    return message;
  }

  #edit(interaction: Interaction, message: Message, payload: MessagePayload, files: readonly UploadedFile[]): Message {
    const ephemeral = (message.flags & messageFlag.ephemeral) !== 0;
    const content = this.#files.attach(files, payload, { existing: message, ephemeral });
    const edited = this.#messages.edit(message.id, content, { clearFlags: messageFlag.loading });
    if (!interaction.messageIds.includes(edited.id)) interaction.messageIds.push(edited.id);
    this.#settleIfShown(interaction, edited);
    return edited;
  }

  #settleIfShown(interaction: Interaction, message: Message): void {
    if ((message.flags & messageFlag.loading) === 0) interaction.settled.resolve(message);
  }

  /** The body of a callback; one that edits the component's message keeps that message's flag IS_COMPONENTS_V2. */
  #asEditOfSource(interaction: Interaction, body: unknown): unknown {
    const isUpdate = typeof body === 'object' && body !== null && 'type' in body && body.type === callbackType.update;
    if (!isUpdate || !('data' in body) || interaction.sourceId === null) return body;
    return { ...body, data: withLayoutFlag(this.#source(interaction), body.data) };
  }

  /** The message of the component that was used. */
  #source(interaction: Interaction): Message {
    const source = interaction.sourceId === null ? undefined : this.#messages.find(interaction.sourceId)?.message;
    if (source === undefined) throw errorResponse.unknownMessage();
    return source;
  }

  #ownMessage(interaction: Interaction, messageId: string): Message {
    const id = messageId === '@original' ? interaction.originalId : messageId;
    const isOwn = id !== null && (id === interaction.originalId || interaction.messageIds.includes(id));
    const message = isOwn ? this.#messages.find(id)?.message : undefined;
    if (message === undefined) throw errorResponse.unknownMessage();
    return message;
  }
}

/** The metadata of a message that responds to an interaction. Discord: "Message Interaction Metadata Object". */
function toMetadata(interaction: Interaction, state: DiscordState, interactions: Interactions): InteractionMetadata {
  const { id, type, userId, sourceId, openerId, originalId, owners } = interaction;
  const user = state.user(userId);
  const opener = openerId === undefined ? undefined : interactions.find(openerId);
  return {
    id,
    type,
    ...(user && { user }),
    authorizing_integration_owners: owners,
    // "Present only on follow-up messages."
    ...(originalId === null ? {} : { original_response_message_id: originalId }),
    ...(type === interactionType.component && sourceId !== null ? { interacted_message_id: sourceId } : {}),
    ...(opener && {
      triggering_interaction_metadata: toMetadata({ ...opener, originalId: null }, state, interactions),
    }),
  };
}
