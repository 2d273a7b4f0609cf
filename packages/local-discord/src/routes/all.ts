import type { DiscordStore } from '../discord-store.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import type { OutgoingInteractions } from '../outgoing-interactions.ts';
import type { Route } from '../rest.ts';
import { applicationRoutes } from './application.ts';
import { channelRoutes } from './channels.ts';
import { guildRoutes } from './guilds.ts';
import { commandRoutes, interactionRoutes } from './interactions.ts';
import { threadRoutes } from './threads.ts';

/** All endpoints. Any other path is answered with 404. */
export function allRoutes(
  store: DiscordStore,
  callbacks: InteractionCallbacks,
  outgoing: OutgoingInteractions,
  gatewayUrl: string,
): Route[] {
  return [
    ...applicationRoutes(store, outgoing, gatewayUrl),
    ...commandRoutes(store),
    ...interactionRoutes(store, callbacks),
    ...channelRoutes(store),
    ...threadRoutes(store),
    ...guildRoutes(store),
  ];
}
