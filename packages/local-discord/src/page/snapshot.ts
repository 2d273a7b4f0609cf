import type { DiscordState, StateChange } from '../discord-state.ts';
import type { DiscordStore } from '../discord-store.ts';
import { type Channel, isThread, type Thread } from '../objects.ts';
import { isWithoutBot } from '../places-without-bot.ts';
import type { ActivityLine } from './activity.ts';

/** Number of messages that are sent to a new page. */
const maxMessages = 300;

/** Channels, members, languages, roles and commands: they change rarely, so they are always sent completely. */
export function sidebarState({ state, commands }: DiscordStore, connected: boolean) {
  const { people } = state;
  return {
    connected,
    channels: [...state.channels.values()].map((channel) => ({
      ...channelState(channel, state),
      thread: isThread(channel) ? threadState(channel, state) : null,
      /** By member, the ids of the commands that Discord's client offers there. */
      offered: Object.fromEntries(
        people.map((user) => [user.id, commands.offeredTo(user.id, channel).map(({ id }) => id)]),
      ),
    })),
    members: people.map(({ id, username, global_name }) => ({
      id,
      username,
      name: global_name ?? username,
      roles: state.members.get(id)?.roles ?? [],
      /** False after leaving the guild. */
      isMember: state.isMember(id),
      /** The owner cannot leave. */
      isOwner: id === state.guild().owner_id,
      /** The language of the user's client. */
      locale: state.localeOf(id),
      acceptsDirectMessages: !state.closedDirectMessages.has(id),
    })),
    guildLocale: state.guildLocale,
    roles: state.roles.map(({ id, name, color, position, managed }) => ({ id, name, color, position, managed })),
    commands: commands.all(),
  };
}

/**
 * A channel of the guild, of another guild, of a group of people, or of the direct messages with the bot. In other guilds and
 * in groups, members use the app of their own account.
 */
function channelState(channel: Channel, state: DiscordState) {
  const { id } = channel;
  if (channel.type === 1) {
    const recipientId = channel.recipients[0]?.id ?? null;
    return { id, kind: 'direct' as const, name: state.bot.username, topic: null, with: recipientId };
  }
  if (channel.type === 3) return { id, kind: 'group' as const, name: channel.name, topic: null, with: null };
  if (isThread(channel)) return { id, kind: 'thread' as const, name: channel.name, topic: null, with: null };
  const kind = isWithoutBot(channel) ? ('other_guild' as const) : ('guild' as const);
  return { id, kind, name: channel.name, topic: channel.topic, with: null };
}

/** Which channel a thread is in, and the people who see it. */
function threadState(thread: Thread, state: DiscordState) {
  const viewers = state.people.filter((user) => state.canView(user.id, thread)).map(({ id }) => id);
  return { parentId: thread.parent_id, isOpen: !thread.thread_metadata.archived, viewers };
}

/** Facts of a snapshot beside the state of Discord. */
interface PageFacts {
  /** When this server was started (ms of real time): another one has other ids. */
  readonly startedAt: number;
  /** By id of a member, the bot or the guild, as `data:` URLs; letters of the name for others. */
  readonly pictures: Readonly<Record<string, string>>;
  readonly connected: boolean;
  /** Seconds that pass on Discord per second of real time. */
  readonly speed: number;
  /** Oldest first. */
  readonly activity: readonly ActivityLine[];
  /** The part of the extension; null without one. */
  readonly extension: object | null;
}

/** The complete state for a new page. */
export function fullState(store: DiscordStore, facts: PageFacts) {
  const { state, messages } = store;
  const { name, id } = state.guild();
  return {
    kind: 'full_state' as const,
    guild: { id, name },
    bot: { id: state.bot.id, name: state.bot.username },
    strangers: [...state.strangers.values()].map(({ id: userId, username }) => ({ id: userId, name: username })),
    ...facts,
    ...sidebarState(store, facts.connected),
    messages: messages.all().slice(-maxMessages),
  };
}

export type FullState = ReturnType<typeof fullState>;
export type SidebarState = ReturnType<typeof sidebarState>;

/** A change of the Discord state that is sent to the page unchanged. */
export type PageChange = Extract<StateChange, { kind: 'message' | 'message_deleted' | 'interaction' | 'modal' }>;

/** An event of the page's stream, as JSON: the full state first, then changes. An extension adds kinds of its own. */
export type PageEvent =
  | FullState
  | (SidebarState & { readonly kind: 'sidebar' })
  | { readonly kind: 'activity'; readonly line: ActivityLine }
  /** A change of nothing but the current time. */
  | { readonly kind: 'time' }
  | PageChange;

/** The time on Discord with each event: a page's own clock can stand still while the machine sleeps. */
export interface EventTime {
  /** ms since the epoch */
  readonly now: number;
}
