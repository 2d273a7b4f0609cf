import { z } from 'zod';
import { snowflakePattern } from '../../platform/snowflake.ts';
import type { DiscordState } from './discord-state.ts';
import type { Messages } from './messages.ts';
import type { DirectChannel, Message } from './objects.ts';

/** Number of messages that are saved. */
const maxMessages = 1000;

const id = z.string().regex(snowflakePattern);
const user = z.looseObject({ id, username: z.string() });

/** Checks only the fields that are needed to display a message: this program wrote the file. */
const message = z
  .looseObject({
    id,
    channel_id: id,
    author: user,
    content: z.string(),
    timestamp: z.iso.datetime({ offset: true }),
    embeds: z.array(z.looseObject({})),
    components: z.array(z.looseObject({ components: z.array(z.looseObject({ type: z.int() })) })),
    attachments: z.array(z.looseObject({})),
    flags: z.int(),
  })
  .transform((value) => value as unknown as Message);

const directChannel = z
  .looseObject({ id, type: z.literal(1), recipients: z.array(user).length(1) })
  .transform((value) => value as unknown as DirectChannel);

/**
 * The state that survives a restart: messages, direct message channels and the members' roles. Ephemeral messages and uploaded files
 * are not saved; Discord's client also loses ephemeral messages when it restarts.
 */
export const persistedState = z.object({
  version: z.literal(1),
  messages: z.array(message),
  directChannels: z.array(directChannel),
  roles: z.record(id, z.array(id)),
});
export type PersistedState = z.output<typeof persistedState>;

/** Whether a change affects the saved state. */
export function isPersistent(kind: string): boolean {
  return ['message', 'message_deleted', 'members', 'channels'].includes(kind);
}

export function exportState(state: DiscordState, messages: Messages): PersistedState {
  const persistent = messages
    .all()
    .filter(({ onlyFor, message: { attachments } }) => onlyFor === null && !attachments.length);
  return {
    version: 1,
    messages: persistent.slice(-maxMessages).map((stored) => stored.message),
    directChannels: [...state.channels.values()].filter((channel) => channel.type === 1),
    roles: Object.fromEntries([...state.members].map(([userId, { roles }]) => [userId, [...roles]])),
  };
}

/** Restores saved state that matches the current guild. Emits no events, since no client is connected yet. */
export function restoreState(state: DiscordState, messages: Messages, saved: PersistedState): void {
  for (const [userId, roles] of Object.entries(saved.roles)) {
    const member = state.members.get(userId);
    const roleIds = roles.filter((roleId) => state.roles.some((role) => role.id === roleId));
    if (member !== undefined && userId !== state.bot.id) state.members.set(userId, { ...member, roles: roleIds });
  }
  for (const channel of saved.directChannels) {
    const recipient = state.user(channel.recipients[0]?.id ?? '');
    if (recipient !== undefined) state.channels.set(channel.id, { ...channel, recipients: [recipient] });
  }
  for (const each of saved.messages) if (state.channels.has(each.channel_id)) messages.restore(each);
}
