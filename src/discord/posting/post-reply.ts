import { Routes } from 'discord.js';
import type { Panel, Reply } from '../commands/reply.ts';
import type { DiscordRest } from '../rest.ts';
import { postRequest } from './message-request.ts';

/**
 * Posts a reply as a message of its own, see {@link postRequest}, and returns the message. Throws what {@link
 * DiscordRest} throws.
 */
export async function postReply(
  rest: DiscordRest,
  channelId: string,
  reply: Reply | Panel,
  nonce: string,
): Promise<unknown> {
  const { body, files } = postRequest([reply], nonce);
  return rest.post(Routes.channelMessages(channelId), body, files);
}
