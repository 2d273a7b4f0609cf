import type { Commands } from '../discord/commands.ts';
import type { DiscordState } from '../discord/discord-state.ts';
import type { Messages } from '../discord/messages.ts';
import { isWithoutBot } from '../discord/places-without-bot.ts';
import type { Balances } from './balances.ts';
import type { PagePorts } from './ports.ts';
import type { KeyedItem } from './timeline.ts';

/** Number of messages that are sent to a new page. */
const maxMessages = 300;

interface SnapshotSources {
  readonly state: DiscordState;
  readonly messages: Messages;
  readonly commands: Commands;
  readonly ports: PagePorts;
}

/** Channels, members, languages, roles and commands: they change rarely, so they are always sent completely. */
export function sidebarState({ state, commands }: SnapshotSources, connected: boolean) {
  return {
    connected,
    channels: [...state.channels.values()].map((channel) =>
      channel.type === 1
        ? {
            id: channel.id,
            name: state.bot.username,
            topic: null,
            with: channel.recipients[0]?.id ?? null,
            hasBot: true,
          }
        : {
            id: channel.id,
            name: channel.name,
            topic: channel.type === 0 ? channel.topic : null,
            with: null,
            /** Elsewhere, members use the app of their own account. */
            hasBot: !isWithoutBot(channel),
          },
    ),
    members: [...state.users.values()]
      .filter(({ bot }) => !bot)
      .map(({ id, username, global_name }) => ({
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
    commands: commands.availableIn(state.guildId),
  };
}

/** The sandbox time and the current outages. */
export function simulationState({ time, outages }: PagePorts) {
  return {
    time: { now: time.now(), speed: time.speed },
    outages: { discord: outages.discord, service: outages.service },
  };
}

/** The complete state for a new page. */
export function fullState(
  sources: SnapshotSources,
  now: { connected: boolean; credits: Balances; timeline: readonly KeyedItem[] },
) {
  const { state, messages, ports } = sources;
  const { name, id } = state.guild();
  return {
    kind: 'full_state' as const,
    guild: { id, name },
    bot: { id: state.bot.id, name: state.bot.username },
    listings: ports.listings,
    serviceUrl: ports.serviceUrl ?? null,
    ...simulationState(ports),
    ...sidebarState(sources, now.connected),
    messages: messages.all().slice(-maxMessages),
    credits: now.credits,
    timeline: now.timeline,
  };
}
