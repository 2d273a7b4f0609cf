import { z } from 'zod';
import type { DiscordState } from './discord-state.ts';
import type { Messages } from './messages.ts';
import type { DirectChannel, Message } from './objects.ts';

/** How many messages are worth keeping. */
const keptMessages = 1000;

const id = z.string().regex(/^\d{1,20}$/);
const user = z.looseObject({ id, username: z.string() });

/** Only what tells that it can be shown: it was written by this Discord itself. */
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
 * What outlives a restart: messages, direct conversations and the members' roles. Ephemeral messages do not, as they do not outlive a
 * restart of Discord's client; neither do uploaded files.
 */
export const persistedState = z.object({
  version: z.literal(1),
  messages: z.array(message),
  directChannels: z.array(directChannel),
  roles: z.record(id, z.array(id)),
});
export type PersistedState = z.output<typeof persistedState>;

/** Whether a change is one of what is remembered. */
export function isWorthKeeping(kind: string): boolean {
  return ['message', 'message_deleted', 'members', 'channels'].includes(kind);
}

export function persistChange(world: DiscordState, messages: Messages): PersistedState {
  const lasting = messages
    .all()
    .filter(({ onlyFor, message: { attachments } }) => onlyFor === null && !attachments.length);
  return {
    version: 1,
    messages: lasting.slice(-keptMessages).map((kept) => kept.message),
    directChannels: [...world.channels.values()].filter((channel) => channel.type === 1),
    roles: Object.fromEntries([...world.members].map(([userId, { roles }]) => [userId, [...roles]])),
  };
}

/** Puts back what fits into this world; nobody is told of it, for nobody is there yet. */
export function restoreState(world: DiscordState, messages: Messages, from: PersistedState): void {
  for (const [userId, roles] of Object.entries(from.roles)) {
    const member = world.members.get(userId);
    const known = roles.filter((roleId) => world.roles.some((role) => role.id === roleId));
    if (member !== undefined && userId !== world.bot.id) world.members.set(userId, { ...member, roles: known });
  }
  for (const channel of from.directChannels) {
    const recipient = world.user(channel.recipients[0]?.id ?? '');
    if (recipient !== undefined) world.channels.set(channel.id, { ...channel, recipients: [recipient] });
  }
  for (const each of from.messages) if (world.channels.has(each.channel_id)) messages.putBack(each);
}
