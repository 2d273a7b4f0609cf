import { Commands } from './commands.ts';
import type { DefaultGuild } from './default-guild.ts';
import { DiscordState, type Timing } from './discord-state.ts';
import { Files } from './files.ts';
import { Interactions } from './interactions.ts';
import { Messages } from './messages.ts';
import { OAuth, type OAuthApplication } from './oauth.ts';
import { RoleConnections } from './role-connections.ts';
import { Threads } from './threads.ts';

/** The stores of a local Discord, one for each kind of object. */
export type DiscordStore = ReturnType<typeof createStore>;

/**
 * @param origin where its files are served
 * @param applications besides the bot's
 */
export function createStore(
  defaults: DefaultGuild,
  timing: Timing,
  origin: string,
  applications: readonly OAuthApplication[] = [],
) {
  const state = new DiscordState(defaults, timing);
  const threads = new Threads(state);
  const connections = new RoleConnections(state);
  return {
    state,
    commands: new Commands(state),
    messages: new Messages(state, threads),
    threads,
    files: new Files(origin, state.nextId),
    interactions: new Interactions(state),
    oauth: new OAuth(state, applications, (userId) => connections.deleteConnection(userId)),
    connections,
  };
}
