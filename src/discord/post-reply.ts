import { type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import type { Reply } from '../../commands/reply.ts';
import { renderMessage } from './reply.ts';
import type { DiscordRest } from './rest.ts';

/**
 * Posts a message with one embed and its buttons, which pings nobody. With the nonce, Discord returns the existing message if it is sent
 * again within a few minutes. Throws what {@link DiscordRest} throws.
 */
export async function postReply(rest: DiscordRest, channelId: string, reply: Reply, nonce: string): Promise<void> {
  const body: RESTPostAPIChannelMessageJSONBody = {
    ...renderMessage([reply], null),
    allowed_mentions: { parse: [] },
    nonce,
    enforce_nonce: true,
  };
  await rest.post(Routes.channelMessages(channelId), body);
}
