import { DiscordAPIError, Routes } from 'discord.js';
import type { DiscordRest } from './rest.ts';

/**
 * Whether Discord answers the bot just now. It asks for what every connection begins with, which changes nothing; a refusal is an answer,
 * too: the attempt that follows will say what it means.
 */
export function createReachabilityProbe(rest: DiscordRest): () => Promise<boolean> {
  return () =>
    rest.get(Routes.gatewayBot()).then(
      () => true,
      (error: unknown) => error instanceof DiscordAPIError && error.status < 500 && error.status !== 429,
    );
}
