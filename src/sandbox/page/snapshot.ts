import type { StateChange } from 'local-discord';
import type { DiscordState } from 'local-discord/discord-state';
import type { DiscordStore } from 'local-discord/discord-store';
import type { Channel } from 'local-discord/objects';
import { isWithoutBot } from 'local-discord/places-without-bot';
import type { KeyedItem, PagePorts } from './ports.ts';

/** Number of messages that are sent to a new page. */
const maxMessages = 300;

/** By user; null if it is not available (credits). */
export type Balances = Readonly<Record<string, number | null>>;

/** Channels, members, languages, roles and commands: they change rarely, so they are always sent completely. */
export function sidebarState({ state, commands }: DiscordStore, connected: boolean) {
  const { people } = state;
  return {
    connected,
    channels: [...state.channels.values()].map((channel) => ({
      ...channelState(channel, state),
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
  const kind = isWithoutBot(channel) ? ('other_guild' as const) : ('guild' as const);
  return { id, kind, name: channel.name, topic: channel.topic, with: null };
}

/** The sandbox time and the current outages. */
export function simulationState({ time, outages }: PagePorts) {
  return { time: { now: time.now(), speed: time.speed }, outages };
}

/** The complete state for a new page. */
export function fullState(
  store: DiscordStore,
  ports: PagePorts,
  now: { startedAt: number; connected: boolean; credits: Balances; timeline: readonly KeyedItem[] },
) {
  const { state, messages } = store;
  const { name, id } = state.guild();
  return {
    kind: 'full_state' as const,
    guild: { id, name },
    bot: { id: state.bot.id, name: state.bot.username },
    strangers: [...state.strangers.values()].map(({ id: userId, username }) => ({ id: userId, name: username })),
    isLinked: ports.isLinked,
    startedAt: now.startedAt,
    tours: { done: ports.tours.done, chosen: ports.tours.chosen },
    program: ports.commandLine?.program ?? null,
    listings: ports.listings,
    serviceUrl: ports.serviceUrl ?? null,
    ...simulationState(ports),
    ...sidebarState(store, now.connected),
    messages: messages.all().slice(-maxMessages),
    credits: now.credits,
    timeline: now.timeline,
  };
}

export type FullState = ReturnType<typeof fullState>;
export type SidebarState = ReturnType<typeof sidebarState>;
export type SimulationState = ReturnType<typeof simulationState>;

/** A change of the Discord state that is sent to the page unchanged. */
export type PageChange = Extract<StateChange, { kind: 'message' | 'message_deleted' | 'interaction' | 'modal' }>;

/** An event of the page's stream, as JSON: the full state first, then changes. */
export type PageEvent =
  | FullState
  | (SidebarState & { readonly kind: 'sidebar' })
  | (SimulationState & { readonly kind: 'simulation' })
  | { readonly kind: 'credits'; readonly credits: Balances }
  | { readonly kind: 'timeline'; readonly item: KeyedItem }
  | { readonly kind: 'tour'; readonly step: string }
  /** Only the current time. */
  | { readonly kind: 'time' }
  | PageChange;

/** An event as it is sent, with the time of the sandbox: a page's own clock can stand still while the machine sleeps. */
export type TimedPageEvent = PageEvent & {
  /** ms since the epoch */
  readonly now: number;
};
