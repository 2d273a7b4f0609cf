import { minute } from '@tallyhook/platform/durations';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, fieldError, raise } from './errors.ts';
import { type AttachedFiles, keptAttachments } from './files.ts';
import { intent, messageType } from './flags.ts';
import { messageFlag } from './message-flags.ts';
import { type AllowedMentions, legacyFieldIssue, type MessagePayload } from './message-schema.ts';
import { normalizeComponents } from './normalize-components.ts';
import { type Channel, isInGuild, isThread, type Message, normalizeEmbeds, textsOf, type User } from './objects.ts';
import { isWithoutBot } from './places-without-bot.ts';
import type { Threads } from './threads.ts';

/** How long a nonce is remembered (ms). Discord, "Create Message": "the past few minutes". */
const nonceLifetimeMs = 5 * minute;

export interface StoredMessage {
  readonly message: Message;
  /** Id of the only user who sees it (ephemeral); null if it is visible to all. */
  readonly onlyFor: string | null;
}

/** All messages of all channels. Messages are immutable: an edit replaces the message. */
export class Messages {
  readonly #state: DiscordState;
  readonly #threads: Threads;
  readonly #messages = new Map<string, StoredMessage>();
  readonly #nonces = new Map<string, { messageId: string; at: number }>();

  constructor(state: DiscordState, threads: Threads) {
    this.#state = state;
    this.#threads = threads;
  }

  find(messageId: string): StoredMessage | undefined {
    return this.#messages.get(messageId);
  }

  /** All messages, oldest first. */
  all(): StoredMessage[] {
    return [...this.#messages.values()];
  }

  /** The messages of a channel that a viewer sees, oldest first; ephemeral ones of all users if the viewer is null. */
  in(channelId: string, viewerId?: string | null): Message[] {
    return this.all()
      .filter(({ message }) => message.channel_id === channelId)
      .filter(({ onlyFor }) => onlyFor === null || viewerId === null || onlyFor === viewerId)
      .map(({ message }) => message);
  }

  /** Creates a message of the bot. @throws DiscordApiError if it would be empty */
  create(input: {
    readonly channel: Channel;
    readonly content: AttachedFiles;
    readonly flags?: number;
    readonly onlyFor?: string | null;
    /** Fields of interaction responses. */
    readonly extra?: Partial<Message>;
  }): Message {
    const { channel, content, flags = 0, onlyFor = null, extra = {} } = input;
    const { payload, attachments, resolveMedia } = content;
    const duplicate = payload.enforce_nonce ? this.#findByNonce(payload.nonce) : undefined;
    if (duplicate !== undefined) return duplicate;
    const components = normalizeComponents(payload.components, resolveMedia);
    const message: Message = {
      id: this.#state.nextId(),
      channel_id: channel.id,
      author: this.#state.bot,
      content: payload.content ?? '',
      timestamp: this.#state.timestamp(),
      edited_timestamp: null,
      tts: payload.tts ?? false,
      ...findMentions(
        this.#state,
        [payload.content ?? '', ...textsOf(components)].join('\n'),
        payload.allowed_mentions,
      ),
      attachments,
      embeds: normalizeEmbeds(payload.embeds),
      components,
      pinned: false,
      type: messageType.default,
      flags: flags | settableFlags(payload.flags),
      ...(isThread(channel) ? { position: channel.total_message_sent } : {}),
      ...(payload.nonce == null ? {} : { nonce: payload.nonce }),
      ...extra,
    };
    rejectEmpty(message);
    if (isThread(channel)) this.#threads.countMessage(channel, message, onlyFor);
    this.#rememberNonce(message);
    this.#store({ message, onlyFor });
    if (onlyFor === null) this.#dispatch('MESSAGE_CREATE', message);
    return message;
  }

  /** Replaces the fields that the payload contains, and clears the flags. */
  edit(messageId: string, { payload, attachments, resolveMedia }: AttachedFiles, clearedFlags = 0): Message {
    const { message, onlyFor } = this.#messages.get(messageId) ?? raise(errorResponse.unknownMessage());
    const content = payload.content === undefined ? message.content : (payload.content ?? '');
    const components =
      payload.components === undefined ? message.components : normalizeComponents(payload.components, resolveMedia);
    const text = [content, ...textsOf(components)].join('\n');
    const isTextChanged = payload.content !== undefined || payload.components !== undefined;
    const edited: Message = {
      ...message,
      content,
      ...(isTextChanged ? findMentions(this.#state, text, payload.allowed_mentions) : {}),
      embeds: payload.embeds === undefined ? message.embeds : normalizeEmbeds(payload.embeds),
      components,
      attachments: [...keptAttachments(message, payload), ...attachments],
      flags: (message.flags & ~clearedFlags) | ((payload.flags ?? 0) & messageFlag.isComponentsV2),
      edited_timestamp: this.#state.timestamp(),
    };
    rejectEmpty(edited);
    rejectMixed(edited);
    this.#store({ message: edited, onlyFor });
    if (onlyFor === null) this.#dispatch('MESSAGE_UPDATE', this.asRead(edited));
    return edited;
  }

  delete(messageId: string): void {
    const { message, onlyFor } = this.#messages.get(messageId) ?? raise(errorResponse.unknownMessage());
    this.#messages.delete(messageId);
    if (onlyFor === null) this.#threads.uncountMessage(message);
    const data = { id: message.id, channel_id: message.channel_id };
    if (onlyFor === null) this.#dispatch('MESSAGE_DELETE', data);
    this.#state.events.emit('change', { kind: 'message_deleted', channelId: message.channel_id, messageId });
  }

  /**
   * The message as later reads return it: with its thread, and without the nonce. Discord includes that only in the
   * response to its creation and in MESSAGE_CREATE; it is "lost if re-fetched" (discord.js, `Message#nonce`, and
   * discord-api-types).
   */
  asRead({ nonce: _nonce, ...message }: Message): Message {
    const thread = this.#state.channels.get(message.id);
    if (!isThread(thread)) return message;
    return { ...message, flags: message.flags | messageFlag.hasThread, thread: this.#state.threadForBot(thread) };
  }

  /** Reports a message whose thread was started. */
  announceThread(message: Message): void {
    this.#dispatch('MESSAGE_UPDATE', this.asRead(message));
  }

  /** Restores a saved message without emitting events. */
  restore(message: Message): void {
    this.#messages.set(message.id, { message, onlyFor: null });
    this.#rememberNonce(message);
  }

  #store(stored: StoredMessage): void {
    this.#messages.set(stored.message.id, stored);
    const channel = this.#state.channels.get(stored.message.channel_id);
    if (channel && stored.onlyFor === null)
      this.#state.channels.set(channel.id, { ...channel, last_message_id: stored.message.id });
    this.#state.events.emit('change', { kind: 'message', ...stored });
  }

  #dispatch(name: string, data: Pick<Message, 'id' | 'channel_id'>): void {
    const channel = this.#state.channels.get(data.channel_id);
    if (channel !== undefined && isWithoutBot(channel)) return;
    if (!channel || !isInGuild(channel)) this.#state.dispatch(name, data, intent.directMessages, null);
    else this.#state.dispatch(name, { ...data, guild_id: channel.guild_id }, intent.guildMessages, channel.guild_id);
  }

  #findByNonce(nonce: MessagePayload['nonce']): Message | undefined {
    const entry = this.#nonces.get(String(nonce));
    if (entry === undefined || this.#state.stopwatch.monotonic() - entry.at > nonceLifetimeMs) return undefined;
    return this.#messages.get(entry.messageId)?.message;
  }

  #rememberNonce({ id, nonce }: Message): void {
    if (nonce === undefined) return;
    this.#nonces.set(String(nonce), { messageId: id, at: this.#state.stopwatch.monotonic() });
  }
}

function settableFlags(flags: number | null | undefined): number {
  const settable = messageFlag.suppressEmbeds | messageFlag.suppressNotifications | messageFlag.isComponentsV2;
  return (flags ?? 0) & settable;
}

function rejectEmpty(message: Message): void {
  if (message.flags & messageFlag.loading) return;
  const hasContent =
    message.content || message.embeds.length || message.components.length || message.attachments.length;
  if (!hasContent) throw errorResponse.emptyMessage();
}

/** An edit turns a message into one of components only if it removes the text and the embeds. */
function rejectMixed({ flags, content, embeds }: Message): void {
  if ((flags & messageFlag.isComponentsV2) === 0) return;
  const field = content ? 'content' : embeds.length > 0 ? 'embeds' : undefined;
  if (field !== undefined) throw fieldError([field], ...legacyFieldIssue(field));
}

type Mentions = Pick<Message, 'mentions' | 'mention_roles' | 'mention_everyone'>;

/**
 * The users and roles that a text pings: its mentions, filtered by `allowed_mentions`; without that field all of them.
 * Embeds never ping. Discord: "Allowed Mentions Object".
 */
export function findMentions(
  state: DiscordState,
  content: string,
  allowed: AllowedMentions | null | undefined,
): Mentions {
  const parse = allowed ? (allowed.parse ?? []) : ['users', 'roles', 'everyone'];
  const isAllowed = (kind: 'users' | 'roles', id: string) =>
    parse.includes(kind) || (allowed?.[kind]?.includes(id) ?? false);
  const users = matchedIds(content, /<@!?(\d{1,20})>/g).filter((id) => isAllowed('users', id));
  const roles = matchedIds(content, /<@&(\d{1,20})>/g).filter((id) => isAllowed('roles', id));
  return {
    mentions: users.map((id) => state.user(id)).filter((user): user is User => user !== undefined),
    mention_roles: roles,
    mention_everyone: parse.includes('everyone') && /@(everyone|here)/.test(content),
  };
}

function matchedIds(content: string, pattern: RegExp): string[] {
  return [...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? ''))];
}
