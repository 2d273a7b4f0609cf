import type { Commands } from '../commands.ts';
import type { DiscordState } from '../discord-state.ts';
import type { Files } from '../files.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import type { Messages } from '../messages.ts';
import type { Route } from '../route.ts';
import { applicationRoutes } from './application.ts';
import { channelRoutes } from './channels.ts';
import { commandRoutes } from './commands.ts';
import { guildRoutes } from './guilds.ts';
import { interactionRoutes } from './interactions.ts';

/** Every endpoint there is. What is not here is answered with 404, as Discord answers what it does not know. */
export function allRoutes(parts: {
  world: DiscordState;
  commands: Commands;
  messages: Messages;
  files: Files;
  answering: InteractionCallbacks;
  gatewayUrl: string;
}): Route[] {
  const { world, commands, messages, files, answering, gatewayUrl } = parts;
  return [
    ...applicationRoutes(world, gatewayUrl),
    ...commandRoutes(world, commands),
    ...interactionRoutes(answering, world.applicationId),
    ...channelRoutes(world, messages, files),
    ...guildRoutes(world),
  ];
}
