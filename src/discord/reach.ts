import { Routes } from 'discord.js';
import type { DiscordRest } from './rest.ts';

/** Whether Discord answers the bot just now. The question changes nothing. */
export function createReach(rest: DiscordRest): () => Promise<boolean> {
  return () =>
    rest.get(Routes.user()).then(
      () => true,
      () => false,
    );
}
