import type { LocalDiscord, LocalDiscordOptions } from 'local-discord';
import { localDiscord as start } from 'local-discord/testing/local-discord';
import { guildNames } from '../../src/sandbox/community.ts';

/** Starts a local Discord with the names of the sandbox, which stops when the test has finished. */
export function localDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  return start({ names: guildNames, ...options });
}
