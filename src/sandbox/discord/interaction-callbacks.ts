import type { UploadedFile } from './body.ts';
import { type Callback, callbackSchema, callbackType } from './callback-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, fieldError } from './errors.ts';
import { type Files, withAddresses } from './files.ts';
import { metadataOf } from './interaction-metadata.ts';
import { type Interaction, type Interactions, interactionType } from './interactions.ts';
import { type MessagePayload, messageSchema } from './message-schema.ts';
import type { Messages } from './messages.ts';
import { type Message, messageFlag, messageType } from './objects.ts';
import { validate } from './validate.ts';

/** Which answers each type of interaction takes. */
const answersTo: Readonly<Record<number, readonly number[]>> = {
  [interactionType.command]: [4, 5, 9],
  [interactionType.component]: [4, 5, 6, 7, 9],
  [interactionType.autocomplete]: [8],
  [interactionType.modal]: [4, 5, 6, 7],
};

/** Turns what the bot answers into messages. Discord: "Receiving and Responding". */
export class InteractionCallbacks {
  readonly #world: DiscordState;
  readonly #messages: Messages;
  readonly #interactions: Interactions;
  readonly #files: Files;

  constructor(world: DiscordState, messages: Messages, interactions: Interactions, files: Files) {
    this.#world = world;
    this.#messages = messages;
    this.#interactions = interactions;
    this.#files = files;
  }

  /** The first answer. Returns the message that it made or changed, if any. */
  callback(id: string, token: string, body: unknown, files: readonly UploadedFile[]) {
    const interaction = this.#interactions.awaiting(id, token);
    const callback = validate(callbackSchema, body);
    const allowed = answersTo[interaction.type] ?? [];
    if (!allowed.includes(callback.type)) {
      throw fieldError(['type'], 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
    }
    const message = this.#carryOut(interaction, callback, files);
    if (message !== undefined) interaction.originalId = message.id;
    this.#interactions.acknowledge(interaction, callback);
    if (message !== undefined && callback.type !== callbackType.deferredUpdate)
      this.#settleIfShown(interaction, message);
    return { interaction, callback, message };
  }

  /** A message of an interaction; `@original` is its first answer. */
  message(token: string, messageId: string): Message {
    const interaction = this.#interactions.answered(token);
    return this.#ownMessage(interaction, messageId);
  }

  edit(token: string, messageId: string, body: unknown, files: readonly UploadedFile[]): Message {
    const interaction = this.#interactions.answered(token);
    const message = this.#ownMessage(interaction, messageId);
    return this.#edit(interaction, message, validate(messageSchema, body), files);
  }

  delete(token: string, messageId: string): void {
    const interaction = this.#interactions.answered(token);
    this.#messages.delete(this.#ownMessage(interaction, messageId).id);
  }

  /** A further message. The first one after a deferral takes the place of "is thinking…", as Discord does it. */
  followUp(token: string, body: unknown, files: readonly UploadedFile[]): Message {
    const interaction = this.#interactions.answered(token);
    const form = validate(messageSchema, body);
    const original = interaction.originalId === null ? undefined : this.#messages.find(interaction.originalId)?.message;
    if (original && original.flags & messageFlag.loading) return this.#edit(interaction, original, form, files);
    const message = this.#create(interaction, form, files, (form.flags ?? 0) & messageFlag.ephemeral);
    interaction.settled.resolve(message);
    return message;
  }

  #carryOut(interaction: Interaction, callback: Callback, files: readonly UploadedFile[]): Message | undefined {
    switch (callback.type) {
      case callbackType.message:
        return this.#create(interaction, callback.data, files, (callback.data.flags ?? 0) & messageFlag.ephemeral);
      case callbackType.deferredMessage: {
        const ephemeral = (callback.data?.flags ?? 0) & messageFlag.ephemeral;
        return this.#create(interaction, {}, [], ephemeral | messageFlag.loading);
      }
      case callbackType.deferredUpdate:
        return this.#source(interaction);
      case callbackType.update:
        return this.#edit(interaction, this.#source(interaction), callback.data, files);
      default:
        return undefined;
    }
  }

  #create(
    interaction: Interaction,
    form: Partial<MessagePayload>,
    files: readonly UploadedFile[],
    flags: number,
  ): Message {
    const channel = this.#world.channels.get(interaction.channelId);
    const user = this.#world.user(interaction.userId);
    if (channel === undefined || user === undefined) throw errorResponse.unknownChannel();
    const whole = validate(messageSchema, form);
    const attachments = this.#files.keep(files, whole);
    const ofCommand = interaction.type === interactionType.command;
    const used = { id: interaction.id, type: interaction.type, user };
    const message = this.#messages.create({
      channel,
      author: this.#world.bot,
      form: withAddresses(whole, attachments),
      attachments,
      flags,
      onlyFor: flags & messageFlag.ephemeral ? interaction.userId : null,
      extra: {
        application_id: this.#world.applicationId,
        webhook_id: this.#world.applicationId,
        type: ofCommand ? messageType.chatInputCommand : messageType.default,
        interaction_metadata: metadataOf(interaction, this.#world, this.#interactions),
        ...(ofCommand ? { interaction: { ...used, name: interaction.label.slice(1) } } : {}),
      },
    });
    interaction.messageIds.push(message.id);
    return message;
  }

  #edit(interaction: Interaction, message: Message, form: MessagePayload, files: readonly UploadedFile[]): Message {
    const attachments = this.#files.keep(files, form);
    const addressed = withAddresses(form, attachments);
    const edited = this.#messages.edit(message.id, addressed, { attachments, ends: messageFlag.loading });
    if (!interaction.messageIds.includes(edited.id)) interaction.messageIds.push(edited.id);
    this.#settleIfShown(interaction, edited);
    return edited;
  }

  #settleIfShown(interaction: Interaction, message: Message): void {
    if ((message.flags & messageFlag.loading) === 0) interaction.settled.resolve(message);
  }

  /** The message of the component that was used. */
  #source(interaction: Interaction): Message {
    const source = interaction.sourceId === null ? undefined : this.#messages.find(interaction.sourceId)?.message;
    if (source === undefined) throw errorResponse.unknownMessage();
    return source;
  }

  #ownMessage(interaction: Interaction, messageId: string): Message {
    const id = messageId === '@original' ? interaction.originalId : messageId;
    const own = id !== null && (id === interaction.originalId || interaction.messageIds.includes(id));
    const message = own ? this.#messages.find(id)?.message : undefined;
    if (message === undefined) throw errorResponse.unknownMessage();
    return message;
  }
}
