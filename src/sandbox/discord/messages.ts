import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse } from './errors.ts';
import { intent } from './intents.ts';
import { mentionsIn } from './mentions.ts';
import type { MessagePayload } from './message-schema.ts';
import { normalizeComponents, normalizeEmbeds } from './normalize.ts';
import { type Attachment, type Channel, type Message, messageFlag, messageType, type User } from './objects.ts';

/** How long Discord remembers a nonce: "the past few minutes", says "Create Message". */
const nonceMemory = 5 * minute;

export interface StoredMessage {
  readonly message: Message;
  /** The one who sees an ephemeral message. */
  readonly onlyFor: string | null;
}

export interface NewMessage {
  readonly channel: Channel;
  readonly author: User;
  readonly form: MessagePayload;
  readonly attachments?: readonly Attachment[];
  readonly flags?: number;
  readonly onlyFor?: string | null;
  /** What only the answer to an interaction carries. */
  readonly extra?: Partial<Message>;
}

/** Every message of every channel. A message never changes: an edit puts another in its place. */
export class Messages {
  readonly #world: DiscordState;
  readonly #stopwatch: Clock;
  readonly #kept = new Map<string, StoredMessage>();
  readonly #nonces = new Map<string, { messageId: string; at: number }>();

  constructor(world: DiscordState, stopwatch: Clock) {
    this.#world = world;
    this.#stopwatch = stopwatch;
  }

  find(messageId: string): StoredMessage | undefined {
    return this.#kept.get(messageId);
  }

  /** All of them, oldest first. */
  all(): StoredMessage[] {
    return [...this.#kept.values()];
  }

  /** The messages of a channel, oldest first; ephemeral ones only for the one who sees them, or all of them for null. */
  in(channelId: string, viewerId?: string | null): Message[] {
    return this.all()
      .filter(({ message }) => message.channel_id === channelId)
      .filter(({ onlyFor }) => onlyFor === null || viewerId === null || onlyFor === viewerId)
      .map(({ message }) => message);
  }

  /** @throws DiscordRefusal when there is nothing to show. */
  create({ channel, author, form, attachments = [], flags = 0, onlyFor = null, extra = {} }: NewMessage): Message {
    const repeated = form.enforce_nonce ? this.#knownNonce(author, form.nonce) : undefined;
    if (repeated !== undefined) return repeated;
    const message: Message = {
      id: this.#world.nextId(),
      channel_id: channel.id,
      author,
      content: form.content ?? '',
      timestamp: this.#world.timestamp(),
      edited_timestamp: null,
      tts: form.tts ?? false,
      ...mentionsIn(this.#world, form.content ?? '', form.allowed_mentions),
      attachments,
      embeds: normalizeEmbeds(form.embeds),
      components: normalizeComponents(form.components),
      pinned: false,
      type: messageType.default,
      flags: flags | settableFlags(form.flags),
      ...(form.nonce == null ? {} : { nonce: form.nonce }),
      ...extra,
    };
    refuseEmpty(message);
    this.#rememberNonce(message);
    this.#keep({ message, onlyFor });
    this.#tell('MESSAGE_CREATE', message, onlyFor);
    return message;
  }

  /** Changes what the form names and nothing else; `ends` are the flags that end with the edit. */
  edit(
    messageId: string,
    form: MessagePayload,
    options: { attachments?: readonly Attachment[]; ends?: number } = {},
  ): Message {
    const { message, onlyFor } = this.#kept.get(messageId) ?? lost();
    const content = form.content === undefined ? message.content : (form.content ?? '');
    const keptFiles = form.attachments
      ? message.attachments.filter(({ id }) => form.attachments?.some((each) => String(each.id) === id))
      : message.attachments;
    const edited: Message = {
      ...message,
      content,
      ...(form.content === undefined ? {} : mentionsIn(this.#world, content, form.allowed_mentions)),
      embeds: form.embeds === undefined ? message.embeds : normalizeEmbeds(form.embeds),
      components: form.components === undefined ? message.components : normalizeComponents(form.components),
      attachments: [...keptFiles, ...(options.attachments ?? [])],
      flags: message.flags & ~(options.ends ?? 0),
      edited_timestamp: this.#world.timestamp(),
    };
    refuseEmpty(edited);
    this.#keep({ message: edited, onlyFor });
    this.#tell('MESSAGE_UPDATE', asReadAgain(edited), onlyFor);
    return edited;
  }

  delete(messageId: string): void {
    const { message, onlyFor } = this.#kept.get(messageId) ?? lost();
    this.#kept.delete(messageId);
    const data = { id: message.id, channel_id: message.channel_id };
    if (onlyFor === null) this.#dispatch('MESSAGE_DELETE', message.channel_id, data);
    this.#world.events.emit('change', { kind: 'message_deleted', channelId: message.channel_id, messageId });
  }

  /** A message of an earlier time, back in its place. */
  putBack(message: Message): void {
    this.#kept.set(message.id, { message, onlyFor: null });
    this.#rememberNonce(message);
  }

  #keep(kept: StoredMessage): void {
    this.#kept.set(kept.message.id, kept);
    const channel = this.#world.channels.get(kept.message.channel_id);
    if (channel && kept.onlyFor === null)
      this.#world.channels.set(channel.id, { ...channel, last_message_id: kept.message.id });
    this.#world.events.emit('change', { kind: 'message', ...kept });
  }

  #tell(name: string, message: Message, onlyFor: string | null): void {
    if (onlyFor === null) this.#dispatch(name, message.channel_id, message);
  }

  #dispatch(name: string, channelId: string, data: object): void {
    const channel = this.#world.channels.get(channelId);
    const guildId = channel?.type === 0 ? channel.guild_id : null;
    this.#world.events.emit('dispatch', {
      name,
      data: guildId === null ? data : { ...data, guild_id: guildId },
      intent: guildId === null ? intent.directMessages : intent.guildMessages,
      guildId,
    });
  }

  #knownNonce(author: User, nonce: MessagePayload['nonce']): Message | undefined {
    const known = this.#nonces.get(nonceKey(author, nonce));
    if (known === undefined || this.#stopwatch.monotonic() - known.at > nonceMemory) return undefined;
    return this.#kept.get(known.messageId)?.message;
  }

  #rememberNonce(message: Message): void {
    if (message.nonce === undefined) return;
    const key = nonceKey(message.author, message.nonce);
    this.#nonces.set(key, { messageId: message.id, at: this.#stopwatch.monotonic() });
  }
}

/**
 * A message as it is when it is not new any more. Its nonce is told once, in the answer to its creation and in MESSAGE_CREATE, and
 * "lost if re-fetched" (discord.js, `Message#nonce`; so says discord-api-types).
 */
export function asReadAgain({ nonce: _told, ...message }: Message): Message {
  return message;
}

function nonceKey(author: User, nonce: MessagePayload['nonce']): string {
  return `${author.id} ${nonce}`;
}

function settableFlags(flags: number | null | undefined): number {
  return (flags ?? 0) & (messageFlag.suppressEmbeds | messageFlag.suppressNotifications);
}

function refuseEmpty(message: Message): void {
  if (message.flags & messageFlag.loading) return;
  const shows = message.content || message.embeds.length || message.components.length || message.attachments.length;
  if (!shows) throw errorResponse.emptyMessage();
}

function lost(): never {
  throw errorResponse.unknownMessage();
}
