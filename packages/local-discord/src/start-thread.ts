import type { DiscordStore } from './discord-store.ts';
import { messageType } from './flags.ts';
import { messageSchema } from './message-schema.ts';
import { type GuildChannel, type Thread, threadType } from './objects.ts';
import type { NewThread } from './threads.ts';
import { validate } from './validate.ts';

/** Starts a thread without a message; in the name of its owner, the channel of a public one gets a message about it. */
export function startThread(
  { state, threads, messages, files }: DiscordStore,
  channel: GuildChannel,
  fields: Omit<NewThread, 'id'>,
): Thread {
  const thread = threads.create(channel, { ...fields, id: state.nextId() });
  const { id, guild_id, name, owner_id } = thread;
  if (thread.type === threadType.public) {
    const payload = validate(messageSchema, { content: name, allowed_mentions: { parse: [] } });
    const message_reference = { type: 0, channel_id: id, guild_id } as const;
    const author = state.user(owner_id) ?? state.bot;
    const extra = { author, type: messageType.threadCreated, message_reference };
    messages.create({ channel, content: files.attach([], payload), extra });
  }
  return thread;
}
