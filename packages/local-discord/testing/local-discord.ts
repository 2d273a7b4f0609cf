import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { type LocalDiscord, type LocalDiscordOptions, startLocalDiscord } from '../src/local-discord.ts';

/** Starts a local Discord, which stops when the test has finished. */
export async function localDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  const discord = await startLocalDiscord(options);
  onFinished(() => discord.stop());
  return discord;
}
