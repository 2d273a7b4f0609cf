import type { Commands } from '../commands.ts';
import type { DiscordState } from '../discord-state.ts';
import type { Files } from '../files.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import type { Messages } from '../messages.ts';
import type { OAuth } from '../oauth.ts';
import type { OutgoingInteractions } from '../outgoing-interactions.ts';
import type { RoleConnections } from '../role-connections.ts';
import type { Route } from '../route.ts';
import { applicationRoutes } from './application.ts';
import { channelRoutes } from './channels.ts';
import { commandRoutes } from './commands.ts';
import { guildRoutes } from './guilds.ts';
import { interactionRoutes } from './interactions.ts';
import { roleConnectionRoutes } from './role-connections.ts';

/** All endpoints. Any other path is answered with 404. */
export function allRoutes(parts: {
  state: DiscordState;
  commands: Commands;
  messages: Messages;
  files: Files;
  callbacks: InteractionCallbacks;
  outgoing: OutgoingInteractions;
  gatewayUrl: string;
  oauth: OAuth;
  connections: RoleConnections;
}): Route[] {
  const { state, commands, messages, files, callbacks, outgoing, gatewayUrl, oauth, connections } = parts;
  return [
    ...applicationRoutes(state, outgoing, oauth, gatewayUrl),
    ...commandRoutes(state, commands),
    ...interactionRoutes(callbacks, state.applicationId),
    ...channelRoutes(state, messages, files),
    ...guildRoutes(state, oauth),
    ...roleConnectionRoutes(state, oauth, connections),
  ];
}
