import { onTestFinished } from 'vitest';
import {
  type LocalDiscord,
  type LocalDiscordOptions,
  startLocalDiscord,
} from '../../src/sandbox/discord/local-discord.ts';

/** Starts a local Discord, which stops when the test has finished. */
export async function localDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  const discord = await startLocalDiscord(options);
  onTestFinished(() => discord.stop());
  return discord;
}
