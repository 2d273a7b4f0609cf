import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse } from './errors.ts';
import { intent } from './intents.ts';
import { findMentions } from './mentions.ts';
import type { MessagePayload } from './message-schema.ts';
import { normalizeComponents, normalizeEmbeds } from './normalize.ts';
import { type Attachment, type Channel, type Message, messageFlag, messageType, type User } from './objects.ts';

/** How long Discord remembers a nonce: "the past few minutes", says "Create Message". */
const nonceLifetimeMs = 5 * minute;

export interface StoredMessage {
  readonly message: Message;
  /** The one who sees an ephemeral message. */
  readonly onlyFor: string | null;
}

export interface NewMessage {
  readonly channel: Channel;
  readonly author: User;
  readonly payload: MessagePayload;
  readonly attachments?: readonly Attachment[];
  readonly flags?: number;
  readonly onlyFor?: string | null;
  /** What only the answer to an interaction carries. */
  readonly extra?: Partial<Message>;
}

/** Every message of every channel. A message never changes: an edit puts another in its place. */
export class Messages {
  readonly #state: DiscordState;
  readonly #stopwatch: Clock;
  readonly #kept = new Map<string, StoredMessage>();
  readonly #nonces = new Map<string, { messageId: string; at: number }>();

  constructor(state: DiscordState, stopwatch: Clock) {
    this.#state = state;
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
  create({ channel, author, payload, attachments = [], flags = 0, onlyFor = null, extra = {} }: NewMessage): Message {
    const duplicate = payload.enforce_nonce ? this.#knownNonce(author, payload.nonce) : undefined;
    if (duplicate !== undefined) return duplicate;
    const message: Message = {
      id: this.#state.nextId(),
      channel_id: channel.id,
      author,
      content: payload.content ?? '',
      timestamp: this.#state.timestamp(),
      edited_timestamp: null,
      tts: payload.tts ?? false,
      ...findMentions(this.#state, payload.content ?? '', payload.allowed_mentions),
      attachments,
      embeds: normalizeEmbeds(payload.embeds),
      components: normalizeComponents(payload.components),
      pinned: false,
      type: messageType.default,
      flags: flags | settableFlags(payload.flags),
      ...(payload.nonce == null ? {} : { nonce: payload.nonce }),
      ...extra,
    };
    rejectEmpty(message);
    this.#rememberNonce(message);
    this.#keep({ message, onlyFor });
    this.#tell('MESSAGE_CREATE', message, onlyFor);
    return message;
  }

  /** Changes what the form names and nothing else; `ends` are the flags that end with the edit. */
  edit(
    messageId: string,
    payload: MessagePayload,
    options: { attachments?: readonly Attachment[]; clearFlags?: number } = {},
  ): Message {
    const { message, onlyFor } = this.#kept.get(messageId) ?? throwUnknownMessage();
    const content = payload.content === undefined ? message.content : (payload.content ?? '');
    const remainingAttachments = payload.attachments
      ? message.attachments.filter(({ id }) => payload.attachments?.some((each) => String(each.id) === id))
      : message.attachments;
    const edited: Message = {
      ...message,
      content,
      ...(payload.content === undefined ? {} : findMentions(this.#state, content, payload.allowed_mentions)),
      embeds: payload.embeds === undefined ? message.embeds : normalizeEmbeds(payload.embeds),
      components: payload.components === undefined ? message.components : normalizeComponents(payload.components),
      attachments: [...remainingAttachments, ...(options.attachments ?? [])],
      flags: message.flags & ~(options.clearFlags ?? 0),
      edited_timestamp: this.#state.timestamp(),
    };
    rejectEmpty(edited);
    this.#keep({ message: edited, onlyFor });
    this.#tell('MESSAGE_UPDATE', withoutNonce(edited), onlyFor);
    return edited;
  }

  delete(messageId: string): void {
    const { message, onlyFor } = this.#kept.get(messageId) ?? throwUnknownMessage();
    this.#kept.delete(messageId);
    const data = { id: message.id, channel_id: message.channel_id };
    if (onlyFor === null) this.#dispatch('MESSAGE_DELETE', message.channel_id, data);
    this.#state.events.emit('change', { kind: 'message_deleted', channelId: message.channel_id, messageId });
  }

  /** A message of an earlier time, back in its place. */
  restore(message: Message): void {
    this.#kept.set(message.id, { message, onlyFor: null });
    this.#rememberNonce(message);
  }

  #keep(stored: StoredMessage): void {
    this.#kept.set(stored.message.id, stored);
    const channel = this.#state.channels.get(stored.message.channel_id);
    if (channel && stored.onlyFor === null)
      this.#state.channels.set(channel.id, { ...channel, last_message_id: stored.message.id });
    this.#state.events.emit('change', { kind: 'message', ...stored });
  }

  #tell(name: string, message: Message, onlyFor: string | null): void {
    if (onlyFor === null) this.#dispatch(name, message.channel_id, message);
  }

  #dispatch(name: string, channelId: string, data: object): void {
    const channel = this.#state.channels.get(channelId);
    const guildId = channel?.type === 0 ? channel.guild_id : null;
    this.#state.events.emit('dispatch', {
      name,
      data: guildId === null ? data : { ...data, guild_id: guildId },
      intent: guildId === null ? intent.directMessages : intent.guildMessages,
      guildId,
    });
  }

  #knownNonce(author: User, nonce: MessagePayload['nonce']): Message | undefined {
    const remembered = this.#nonces.get(nonceKey(author, nonce));
    if (remembered === undefined || this.#stopwatch.monotonic() - remembered.at > nonceLifetimeMs) return undefined;
    return this.#kept.get(remembered.messageId)?.message;
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
export function withoutNonce({ nonce: _told, ...message }: Message): Message {
  return message;
}

function nonceKey(author: User, nonce: MessagePayload['nonce']): string {
  return `${author.id} ${nonce}`;
}

function settableFlags(flags: number | null | undefined): number {
  return (flags ?? 0) & (messageFlag.suppressEmbeds | messageFlag.suppressNotifications);
}

function rejectEmpty(message: Message): void {
  if (message.flags & messageFlag.loading) return;
  const hasContent =
    message.content || message.embeds.length || message.components.length || message.attachments.length;
  if (!hasContent) throw errorResponse.emptyMessage();
}

function throwUnknownMessage(): never {
  throw errorResponse.unknownMessage();
}
