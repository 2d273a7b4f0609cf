import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { guildNames } from '../../../src/sandbox/guild-names.ts';
import { type LocalDiscord, type LocalDiscordOptions, startLocalDiscord } from '../src/local-discord.ts';

/** Starts a local Discord with the names of the sandbox, which stops when the test has finished. */
export async function localDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  const discord = await startLocalDiscord({ names: guildNames, ...options });
  onFinished(() => discord.stop());
  return discord;
}
