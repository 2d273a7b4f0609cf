import { Routes } from 'discord.js';
import type { Reply } from '../../commands/reply.ts';
import { renderMessage } from './message.ts';
import type { DiscordRest } from './rest.ts';

/**
 * Posts a reply as a message of its own, which pings nobody. Its buttons name their command. With the nonce, Discord
 * returns the existing message if it is sent again within a few minutes. Throws what {@link DiscordRest} throws.
 */
export async function postReply(rest: DiscordRest, channelId: string, reply: Reply, nonce: string): Promise<void> {
  const message = renderMessage([reply], null);
  await rest.post(Routes.channelMessages(channelId), {
    ...message,
    allowed_mentions: { parse: [] },
    nonce,
    enforce_nonce: true,
  });
}
