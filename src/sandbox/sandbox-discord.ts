import { type Clock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type LocalDiscord, startLocalDiscord } from './discord/local-discord.ts';
import type { OAuthApplication } from './discord/oauth.ts';
import { isPersistent, persistedState } from './discord/persistence.ts';
import { openJsonFile, readJsonFile } from './json-file.ts';
import type { PagePorts } from './page/ports.ts';
import { guildMembers, voters } from './sandbox-members.ts';

/** Starts the local Discord with its page, restores its state from a file, and writes changes back to it. */
export async function startSandboxDiscord(options: {
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** The JSON file for its state. */
  path: string;
  guild: { readonly id: string; readonly name: string };
  page: PagePorts;
  /** Besides the bot's. */
  applications: readonly OAuthApplication[];
  clock: Clock;
  log: Log;
}): Promise<{ readonly discord: LocalDiscord; stop(): Promise<void> }> {
  const { path, log, ...discordOptions } = options;
  const discord = await startLocalDiscord({
    ...discordOptions,
    log,
    people: guildMembers,
    strangers: voters,
    initialState: readJsonFile(path, persistedState, log),
  });
  const file = openJsonFile({ path, snapshot: () => discord.exportState(), stopwatch: systemClock, log });
  discord.events.on('change', ({ kind }) => {
    if (isPersistent(kind)) file.scheduleWrite();
  });
  return {
    discord,
    async stop() {
      await discord.stop();
      await file.stop();
    },
  };
}
