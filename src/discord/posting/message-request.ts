import type { RawFile } from '@discordjs/rest';
import { Routes } from 'discord-api-types/v10';
import type { Panel, Reply, ReplyFile } from '../commands/reply.ts';
import { renderFiles, uploadOf } from '../rendering/components.ts';
import { renderMessage } from '../rendering/message.ts';
import type { DiscordRest } from '../rest.ts';

/** The JSON body and the files of a request with a message. */
export interface MessageRequest {
  readonly body: object;
  readonly files: RawFile[];
}

/**
 * The request that posts replies as one message, which pings nobody. Their buttons name their command. With the nonce,
 * Discord returns the existing message if it is sent again within a few minutes.
 */
export function postRequest(replies: readonly (Reply | Panel)[], nonce: string): MessageRequest {
  return request(replies, { nonce, enforce_nonce: true });
}

/** Posts a reply as a message of its own, and returns the message. Throws what {@link DiscordRest} throws. */
export async function postReply(
  rest: DiscordRest,
  channelId: string,
  reply: Reply | Panel,
  nonce: string,
): Promise<unknown> {
  const { body, files } = postRequest([reply], nonce);
  return rest.post(Routes.channelMessages(channelId), body, files);
}

/** The request that replaces a panel by another one, with its files. */
export function editRequest(panel: Panel): MessageRequest {
  // Discord keeps what an edit does not mention.
  return request([panel], { attachments: [] });
}

function request(replies: readonly (Reply | Panel)[], fields: object): MessageRequest {
  const { attachments, files } = uploadOf(
    renderFiles(replies.flatMap((reply): readonly ReplyFile[] => reply.files ?? [])),
  );
  return {
    body: {
      ...fields,
      ...renderMessage(replies, null),
      ...(attachments.length > 0 ? { attachments } : {}),
      allowed_mentions: { parse: [] },
    },
    files,
  };
}
