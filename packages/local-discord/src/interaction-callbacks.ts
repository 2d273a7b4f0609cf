import type { UploadedFile } from './body.ts';
import type { DiscordStore } from './discord-store.ts';
import { errorResponse, fieldError, raise } from './errors.ts';
import { messageType } from './flags.ts';
import { type Callback, callbackSchema, callbackType, type Interaction, interactionType } from './interactions.ts';
import { messageFlag } from './message-flags.ts';
import { type MessagePayload, messageSchema, validateEdit, withLayoutFlag } from './message-schema.ts';
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
  readonly #store: DiscordStore;

  constructor(store: DiscordStore) {
    this.#store = store;
  }

  /** The initial response. Returns the message that it created or edited, if any. */
  respond(id: string, token: string, body: unknown, files: readonly UploadedFile[]) {
    const interaction = this.#store.interactions.findUnanswered(id, token);
    const callback = validate(callbackSchema, this.#asEditOfSource(interaction, body));
    const allowed = allowedCallbacks[interaction.type] ?? [];
    if (!allowed.includes(callback.type)) {
      throw fieldError(['type'], 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
    }
    const message = this.#apply(interaction, callback, files);
    if (message !== undefined) interaction.originalId = message.id;
    this.#store.interactions.acknowledge(interaction, callback);
    if (message !== undefined && callback.type !== callbackType.deferredUpdate)
      this.#settleIfShown(interaction, message);
    return { interaction, callback, message };
  }

  /** A message of an interaction; `@original` is its initial response. */
  message(token: string, messageId: string): Message {
    return this.#store.messages.asRead(this.#ownMessage(token, messageId).message);
  }

  edit(token: string, messageId: string, body: unknown, files: readonly UploadedFile[]): Message {
    const { interaction, message } = this.#ownMessage(token, messageId);
    return this.#edit(interaction, message, validateEdit(message, body), files);
  }

  delete(token: string, messageId: string): void {
    this.#store.messages.delete(this.#ownMessage(token, messageId).message.id);
  }

  /** A follow-up message. As on Discord, the first one after a deferral replaces "is thinking…". */
  followUp(token: string, body: unknown, files: readonly UploadedFile[]): Message {
    const interaction = this.#store.interactions.findByToken(token);
    const payload = validate(messageSchema, body);
    const original = this.#find(interaction.originalId);
    if (original && original.flags & messageFlag.loading) return this.#edit(interaction, original, payload, files);
    if (interaction.owners['0'] === undefined && interaction.followUps >= maxFollowUps)
      throw errorResponse.tooManyFollowUps();
    interaction.followUps += 1;
    const message = this.#create(interaction, payload, files);
    interaction.settled.resolve(message);
    return message;
  }

  #apply(interaction: Interaction, respond: Callback, files: readonly UploadedFile[]): Message | undefined {
    switch (respond.type) {
      case callbackType.message:
        return this.#create(interaction, respond.data, files);
      case callbackType.deferredMessage:
        return this.#create(interaction, { flags: respond.data?.flags }, [], messageFlag.loading);
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
    addedFlags = 0,
  ): Message {
    const { state, messages } = this.#store;
    const channel = state.channels.get(interaction.channelId);
    const user = state.user(interaction.userId);
    if (channel === undefined || user === undefined) throw errorResponse.unknownChannel();
    const ephemeral = (payload.flags ?? 0) & messageFlag.ephemeral;
    const complete = validate(messageSchema, payload);
    const isCommand = interaction.type === interactionType.command;
    const commandMessage = interaction.targetId === undefined ? messageType.slashCommand : messageType.menuCommand;
    const trigger = { id: interaction.id, type: interaction.type, user };
    const message = messages.create({
      channel,
      content: this.#store.files.attach(files, complete, { ephemeral: ephemeral !== 0 }),
      flags: ephemeral | addedFlags,
      onlyFor: ephemeral ? interaction.userId : null,
      extra: {
        application_id: state.applicationId,
        webhook_id: state.applicationId,
        type: isCommand ? commandMessage : messageType.default,
        interaction_metadata: toMetadata(interaction, this.#store),
        ...(isCommand ? { interaction: { ...trigger, name: interaction.label.replace(/^\//, '') } } : {}),
      },
    });
    interaction.messageIds.push(message.id);
    return message;
  }

  #edit(interaction: Interaction, message: Message, payload: MessagePayload, files: readonly UploadedFile[]): Message {
    const ephemeral = (message.flags & messageFlag.ephemeral) !== 0;
    const content = this.#store.files.attach(files, payload, { existing: message, ephemeral });
    const edited = this.#store.messages.edit(message.id, content, messageFlag.loading);
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
  #source({ sourceId }: Interaction): Message {
    return this.#find(sourceId) ?? raise(errorResponse.unknownMessage());
  }

  #ownMessage(token: string, messageId: string) {
    const interaction = this.#store.interactions.findByToken(token);
    const { originalId, messageIds } = interaction;
    const id = messageId === '@original' ? originalId : messageId;
    const isOwn = id !== null && (id === originalId || messageIds.includes(id));
    const message = (isOwn ? this.#find(id) : undefined) ?? raise(errorResponse.unknownMessage());
    return { interaction, message };
  }

  #find(messageId: string | null): Message | undefined {
    return messageId === null ? undefined : this.#store.messages.find(messageId)?.message;
  }
}

/** The metadata of a message that responds to an interaction. Discord: "Message Interaction Metadata Object". */
function toMetadata(interaction: Interaction, store: DiscordStore): InteractionMetadata {
  const { id, type, userId, sourceId, openerId, targetId, originalId, owners } = interaction;
  const user = store.state.user(userId);
  const target = targetId === undefined ? undefined : store.state.user(targetId);
  const opener = openerId === undefined ? undefined : store.interactions.find(openerId);
  return {
    id,
    type,
    ...(user && { user }),
    ...(target && { target_user: target }),
    authorizing_integration_owners: owners,
    // "Present only on follow-up messages."
    ...(originalId === null ? {} : { original_response_message_id: originalId }),
    ...(type === interactionType.component && sourceId !== null ? { interacted_message_id: sourceId } : {}),
    ...(opener && { triggering_interaction_metadata: toMetadata({ ...opener, originalId: null }, store) }),
  };
}
