import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import type { Panel } from '../commands/reply.ts';
import { classifySendError, rejectionOf } from '../discord-errors.ts';
import type { DiscordRest } from '../rest.ts';
import { editRequest } from './message-request.ts';
import type { Posted } from './post-once.ts';

export interface PostedMessage {
  readonly id: string;
  readonly channelId: string;
}

/** The message cannot be edited any more. */
const goneCodes: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
];
/** Discord limits how often a message that is older than an hour is edited. */
const tooManyEditsCode = RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;

/** Replaces a message that is edited in place. Null if it was deleted. */
export async function editMessage(
  rest: DiscordRest,
  { id, channelId }: PostedMessage,
  panel: Panel,
): Promise<Posted | null> {
  const { body, files } = editRequest(panel);
  try {
    await rest.patch(Routes.channelMessage(channelId, id), body, files);
    return { messageId: id };
  } catch (error) {
    const code = rejectionOf(error)?.code;
    if (code !== undefined && goneCodes.includes(code)) return null;
    if (code === tooManyEditsCode) {
      const reason = 'Discord limits the edits of a message older than an hour';
      return { outcome: 'later', reason, scope: 'effects', notSent: true };
    }
    return classifySendError(error, { channelId, effects: 1 });
  }
}
