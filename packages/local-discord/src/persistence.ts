import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { StoredCommand } from './commands.ts';
import type { DiscordState } from './discord-state.ts';
import type { DiscordStore } from './discord-store.ts';
import { showsFiles } from './files.ts';
import { withPositions } from './guild-controls.ts';
import { defaultLocale, isLocale, locales } from './locales.ts';
import { type DirectChannel, isThread, type Message, type Thread, threadType } from './objects.ts';

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
    components: z.array(z.looseObject({ type: z.int() })),
    attachments: z.array(z.looseObject({})),
    flags: z.int(),
  })
  .transform((value) => value as unknown as Message);

const directChannel = z
  .looseObject({ id, type: z.literal(1), recipients: z.array(user).length(1) })
  .transform((value) => value as unknown as DirectChannel);

const thread = z.object({
  thread: z
    .looseObject({ id, type: z.literal(Object.values(threadType)), guild_id: id, parent_id: id, name: z.string() })
    .transform((value) => value as unknown as Thread),
  members: z.array(z.object({ id, user_id: id, join_timestamp: z.string(), flags: z.int() })),
});

const command = z
  .looseObject({ id, application_id: id, type: z.int(), name: z.string() })
  .transform((value) => value as unknown as StoredCommand);

/**
 * The state that survives a restart: messages, direct message channels, threads, members with their roles, the order of the roles,
 * the languages, and the commands, which many bots register once only.
 * Ephemeral messages and uploaded files are not saved; Discord's client also loses ephemeral messages when it restarts.
 */
export const persistedState = z.object({
  version: z.literal(1),
  messages: z.array(message),
  directChannels: z.array(directChannel),
  /** The threads with their members. */
  threads: z.array(thread).default([]),
  /** By user. */
  roles: z.record(id, z.array(id)),
  /** By role. */
  rolePositions: z.record(id, z.int()).default({}),
  deletedRoles: z.array(id).default([]),
  /** Users who have left the guild. */
  absentUsers: z.array(id).default([]),
  closedDirectMessages: z.array(id).default([]),
  /** The languages that users have selected, by user. */
  locales: z.record(id, z.enum(locales)).default({}),
  guildLocale: z.enum(locales).default(defaultLocale),
  commands: z.array(command).default([]),
});
/** The saved state as JSON can represent it, see {@link persistedState}. */
export type PersistedState = z.output<typeof persistedState>;

/** True if a change affects the saved state. */
export function isPersistent(kind: string): boolean {
  return ['message', 'message_deleted', 'members', 'channels', 'languages', 'commands'].includes(kind);
}

export function exportState({ state, threads, messages, commands }: DiscordStore): PersistedState {
  const persistent = messages.all().filter(({ onlyFor, message: each }) => onlyFor === null && !showsFiles(each));
  return {
    version: 1,
    messages: persistent.slice(-maxMessages).map((stored) => stored.message),
    directChannels: [...state.channels.values()].filter((channel) => channel.type === 1),
    threads: [...state.channels.values()]
      .filter(isThread)
      .map((each) => ({ thread: each, members: threads.members(each) })),
    rolePositions: Object.fromEntries(state.roles.map(({ id: roleId, position }) => [roleId, position])),
    deletedRoles: state.initialRoleIds.filter((roleId) => !state.roles.some((role) => role.id === roleId)),
    absentUsers: [...state.users.keys()].filter((userId) => !state.isMember(userId)),
    closedDirectMessages: [...state.closedDirectMessages],
    locales: Object.fromEntries(state.selectedLocales),
    guildLocale: state.guildLocale,
    commands: commands.all(),
    roles: Object.fromEntries([...state.members].map(([userId, { roles }]) => [userId, [...roles]])),
  };
}

/** Restores saved state that matches the current guild. Emits no events, since no client is connected yet. */
export function restoreState({ state, messages, commands }: DiscordStore, saved: PersistedState): void {
  restoreRoles(state, saved);
  for (const userId of saved.absentUsers) if (userId !== state.bot.id) state.members.delete(userId);
  for (const userId of saved.closedDirectMessages) state.closedDirectMessages.add(userId);
  for (const [userId, locale] of Object.entries(saved.locales)) {
    if (isLocale(locale)) state.setLocale(userId, locale);
  }
  state.setGuildLocale(saved.guildLocale);
  for (const [userId, roles] of Object.entries(saved.roles)) {
    const member = state.members.get(userId);
    const roleIds = roles.filter((roleId) => state.roles.some((role) => role.id === roleId));
    if (member !== undefined && userId !== state.bot.id) state.members.set(userId, { ...member, roles: roleIds });
  }
  for (const channel of saved.directChannels) {
    const recipient = state.user(channel.recipients[0]?.id ?? '');
    if (recipient !== undefined) state.channels.set(channel.id, { ...channel, recipients: [recipient] });
  }
  for (const { thread: each, members } of saved.threads) {
    if (!state.channels.has(each.parent_id)) continue;
    state.channels.set(each.id, each);
    state.threadMembers.set(each.id, new Map(members.map((member) => [member.user_id, member])));
  }
  for (const each of saved.commands) if (each.application_id === state.applicationId) commands.restore(each);
  for (const each of saved.messages) if (state.channels.has(each.channel_id)) messages.restore(each);
}

/** Roles that the saved state does not contain are new in this version of the program and keep their place. */
function restoreRoles(state: DiscordState, { rolePositions, deletedRoles }: PersistedState): void {
  const restored = state.roles
    .filter(({ id: roleId }) => !deletedRoles.includes(roleId))
    .map((role) => ({ ...role, position: rolePositions[role.id] ?? role.position }))
    .toSorted((one, other) => one.position - other.position);
  const [everyone, ...others] = restored;
  const hasNewRoles = restored.some(({ id: roleId }) => rolePositions[roleId] === undefined);
  state.roles = everyone && hasNewRoles ? [everyone, ...withPositions(others)] : restored;
}
