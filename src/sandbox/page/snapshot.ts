import type { Commands } from '../discord/commands.ts';
import type { DiscordState } from '../discord/discord-state.ts';
import type { Messages } from '../discord/messages.ts';
import type { Balances } from './credits.ts';
import type { PagePorts } from './ports.ts';
import type { PlacedItem } from './timeline.ts';

/** How many messages a newly opened page gets. */
const shownMessages = 300;

interface Seen {
  readonly world: DiscordState;
  readonly messages: Messages;
  readonly commands: Commands;
  readonly ports: PagePorts;
}

/** Channels, members, roles and commands: what changes seldom is sent as a whole. */
export function sidebarState({ world, commands }: Seen, connected: boolean) {
  return {
    connected,
    channels: [...world.channels.values()].map((channel) =>
      channel.type === 0
        ? { id: channel.id, name: channel.name, topic: channel.topic, with: null }
        : { id: channel.id, name: world.bot.username, topic: null, with: channel.recipients[0]?.id ?? null },
    ),
    members: [...world.members.values()]
      .filter(({ user }) => !user.bot)
      .map(({ user, roles }) => ({
        id: user.id,
        username: user.username,
        name: user.global_name ?? user.username,
        roles,
      })),
    roles: world.roles.map(({ id, name, color }) => ({ id, name, color })),
    commands: commands.offeredIn(world.guildId),
  };
}

/** What time it is in here, and what is out of order. */
export function simulationState({ time, outages }: PagePorts) {
  return {
    time: { now: time.now(), speed: time.speed },
    outages: { discord: outages.discord, service: outages.service },
  };
}

/** All that a newly opened page has to know. */
export function fullState(seen: Seen, now: { connected: boolean; credits: Balances; timeline: readonly PlacedItem[] }) {
  const { world, messages, ports } = seen;
  const { name, id } = world.guild();
  return {
    kind: 'everything' as const,
    guild: { id, name },
    bot: { id: world.bot.id, name: world.bot.username },
    listings: ports.listings,
    serviceUrl: ports.serviceUrl ?? null,
    ...simulationState(ports),
    ...sidebarState(seen, now.connected),
    messages: messages.all().slice(-shownMessages),
    credits: now.credits,
    timeline: now.timeline,
  };
}
