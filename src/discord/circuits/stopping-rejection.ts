import type { DiscordAPIError } from '@discordjs/rest';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';

/** What Discord rejects because of one message or member, so that others may succeed. 50278: no mutual guilds. */
const singleCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.UnknownMember,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast,
];

/** What Discord rejects with 400 although it does not depend on the message. */
const channelCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel,
  RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
  RESTJSONErrorCodes.ThreadLocked,
];

const deletedCodes: readonly (number | string)[] = [RESTJSONErrorCodes.UnknownChannel, RESTJSONErrorCodes.UnknownRole];

/** Whether other messages and members have nothing to do with a rejection. */
export function isOfOne({ code }: Pick<DiscordAPIError, 'code'>): boolean {
  return singleCodes.includes(code);
}

/**
 * Whether the same would happen to everything else in the channel, or with the role. Somebody can mend that in Discord,
 * unless it {@link isDeleted}, so the effects wait for it.
 */
export function stopsTarget({ status, code }: Pick<DiscordAPIError, 'status' | 'code'>): boolean {
  if (channelCodes.includes(code)) return true;
  return (status === 403 || status === 404) && !singleCodes.includes(code);
}

/** Of a role that nobody can give, for whatever reason. */
export const finalCode = RESTJSONErrorCodes.UnknownRole;

/** Whether the channel or role was deleted, which cannot be undone. */
export function isDeleted(code: number | string): boolean {
  return deletedCodes.includes(code);
}
