import { onTestFinished } from 'vitest';
import {
  type LocalDiscord,
  type LocalDiscordOptions,
  startLocalDiscord,
} from '../../src/sandbox/discord/local-discord.ts';
import type { AtEnd } from './temp-dir.ts';

/** Starts a local Discord, which stops when the test has finished. */
export async function localDiscord(
  options: LocalDiscordOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<LocalDiscord> {
  const discord = await startLocalDiscord(options);
  atEnd(() => discord.stop());
  return discord;
}
