import { mkdirSync } from 'node:fs';
import { startChild } from '../process/child.ts';
import { startBlackhole } from './blackhole.ts';
import type { DiscordKind, Surroundings } from './contender.ts';

/** Creates the Discord and the listing service for each bot. */
export interface SurroundingsSource {
  /** The process in which they run. */
  readonly pid: number;
  create(kind: DiscordKind): Promise<Surroundings>;
  stop(): Promise<void>;
}

export async function startSurroundings(directory: string): Promise<SurroundingsSource> {
  mkdirSync(directory, { recursive: true });
  const blackhole = await startBlackhole();
  const silent: Surroundings = {
    discordUrl: `${blackhole.url}/api`,
    token: 'bench',
    channelId: '1',
    guildId: '2',
    roles: { voter: '3', milestone: '4' },
    lookupUrl: `${blackhole.url}/api/v1`,
    lookupKey: 'bench-key',
  };
  const child = await startChild(new URL('./surroundings-process.ts', import.meta.url), [directory]);
  return {
    pid: child.pid,
    create: async (kind) => (kind === 'silent' ? silent : child.ask<Surroundings>('create')),
    async stop() {
      await child.stop();
      blackhole.stop();
    },
  };
}
