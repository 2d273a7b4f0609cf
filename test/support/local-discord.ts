import { onTestFinished } from 'vitest';
import {
  type LocalDiscord,
  type LocalDiscordOptions,
  startLocalDiscord,
} from '../../src/sandbox/discord/local-discord.ts';

/** A local Discord that lasts as long as the test. */
export async function localDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  const discord = await startLocalDiscord(options);
  onTestFinished(() => discord.stop());
  return discord;
}
