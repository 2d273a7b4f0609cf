import type { KnownErrorCode } from '@tallyhook/platform/error-codes';
import { TallyhookError } from '@tallyhook/platform/errors';

/** The error tree under "errors" of an "Invalid Form Body" response: field names and indexes down to `_errors`. */
export interface FieldErrors {
  [field: string]: FieldErrors | readonly FieldError[];
}

export interface FieldError {
  readonly code: string;
  readonly message: string;
}

/**
 * An error of the local Discord: a rejected request, an input that Discord's client would not send, or a bot that does not answer.
 * Programs may compare its `code`; its `hint` says what to do.
 * @category Errors
 */
export class LocalDiscordError extends TallyhookError {}

/** An error response. */
export class ResponseError extends LocalDiscordError {
  readonly status: number;
  readonly json: object;

  constructor(status: number, message: string, json: object) {
    super('discord_refusal', message);
    this.status = status;
    this.json = json;
  }
}

/** A Discord API error response. Discord: "Opcodes and Status Codes", JSON error codes. */
export class DiscordApiError extends ResponseError {
  constructor(status: number, code: number, message: string, errors?: FieldErrors) {
    super(status, message, errors === undefined ? { message, code } : { message, code, errors });
  }
}

/** An error response of OAuth2 itself. RFC 6749, section 5.2. */
export class OAuth2Error extends ResponseError {
  constructor(status: number, error: string) {
    super(status, error, { error });
  }
}

/** The messages of field errors that have no variable part, by code. */
const fieldMessages = {
  APPLICATION_COMMAND_INVALID_NAME: 'Command name is invalid',
  APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID: 'Choices and autocomplete are mutually exclusive',
  APPLICATION_COMMAND_OPTION_CHOICE_TYPE: 'Value does not match the option type',
  APPLICATION_COMMAND_OPTION_CHOICES_NOT_ALLOWED: 'This option type does not support choices',
  APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID: 'Required options must be placed before non-required options',
  APPLICATION_COMMAND_OPTIONS_TYPE_INVALID:
    'Sub-command and sub-command group option types are mutually exclusive to all other types',
  APPLICATION_COMMAND_TOO_LARGE: 'Command exceeds maximum size (8000)',
  APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID: 'The specified interactions endpoint url could not be verified.',
  BASE_TYPE_REQUIRED: 'This field is required',
  BUTTON_COMPONENT_CUSTOM_ID_AND_URL: 'A button is a link or it acts, not both.',
  BUTTON_COMPONENT_LABEL_REQUIRED: 'A button must have a label or an emoji.',
  COMPONENT_CUSTOM_ID_DUPLICATED: 'Component custom id cannot be duplicated',
  COMPONENT_DISABLED_NOT_ALLOWED: 'Components in modals cannot be disabled',
  COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED: 'The total text of the components exceeds the maximum of 4000',
  COMPONENT_ID_DUPLICATED: 'Component id cannot be duplicated',
  COMPONENT_LAYOUT_WIDTH_EXCEEDED: 'The specified component exceeds the maximum width',
  CONTENT_TYPE_INVALID: 'Expected "Content-Type" header to be one of {\'application/json\'}.',
  MAX_EMBED_SIZE_EXCEEDED: 'Embed size exceeds maximum size of 6000',
  SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX_VALUES: 'The minimum number of values exceeds the maximum',
  SELECT_COMPONENT_OPTION_VALUE_DUPLICATED: 'The specified option value is already used',
  SELECT_COMPONENT_REQUIRED_MIN_VALUES: 'min_values must be at least 1 if the component is required',
  SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES: 'The number of default options exceeds the maximum',
  UNFURLED_MEDIA_ITEM_ATTACHMENT_REFERENCE_REQUIRED:
    'A file component shows only attachments: attachment://<filename>.',
  URL_TYPE_INVALID_SCHEME: "Scheme must be one of ('http', 'https').",
  URL_TYPE_INVALID_URL: 'Not a well formed URL.',
} as const;

/** The code of a field error, with its message if that is not always the same. */
export type FieldIssue = [code: keyof typeof fieldMessages] | [code: string, message: string];

export function toFieldError([code, message]: FieldIssue): FieldError {
  return { code, message: message ?? fieldMessages[code as keyof typeof fieldMessages] };
}

/** An "Invalid Form Body" response with one error that no schema can express. */
export function fieldError(path: readonly (string | number)[], ...issue: FieldIssue): DiscordApiError {
  const error = toFieldError(issue);
  const errors = path.reduceRight<FieldErrors>((inner, step) => ({ [step]: inner }), { _errors: [error] });
  return new DiscordApiError(400, 50035, 'Invalid Form Body', errors);
}

/** The API errors by name; factories, so that each has its own stack trace. */
export const errorResponse = {
  unauthorized: () => new DiscordApiError(401, 0, '401: Unauthorized'),
  notFound: () => new DiscordApiError(404, 0, '404: Not Found'),
  methodNotAllowed: () => new DiscordApiError(405, 0, '405: Method Not Allowed'),
  internal: () => new DiscordApiError(500, 0, '500: Internal Server Error'),
  unknownApplication: () => new DiscordApiError(404, 10002, 'Unknown Application'),
  unknownChannel: () => new DiscordApiError(404, 10003, 'Unknown Channel'),
  unknownGuild: () => new DiscordApiError(404, 10004, 'Unknown Guild'),
  unknownInvite: () => new DiscordApiError(404, 10006, 'Unknown Invite'),
  unknownMember: () => new DiscordApiError(404, 10007, 'Unknown Member'),
  unknownMessage: () => new DiscordApiError(404, 10008, 'Unknown Message'),
  unknownRole: () => new DiscordApiError(404, 10011, 'Unknown Role'),
  unknownUser: () => new DiscordApiError(404, 10013, 'Unknown User'),
  unknownWebhook: () => new DiscordApiError(404, 10015, 'Unknown Webhook'),
  unknownInteraction: () => new DiscordApiError(404, 10062, 'Unknown interaction'),
  unknownCommand: () => new DiscordApiError(404, 10063, 'Unknown application command'),
  wrongChannelType: () => new DiscordApiError(400, 50024, 'Cannot execute action on this channel type'),
  threadArchived: () => new DiscordApiError(400, 50083, 'Thread is archived'),
  threadExists: () => new DiscordApiError(400, 160004, 'A thread has already been created for this message'),
  threadLocked: () => new DiscordApiError(400, 160005, 'Thread is locked'),
  tooManyCommands: (limit: number) =>
    new DiscordApiError(400, 30032, `Maximum number of application commands reached (${limit})`),
  alreadyAcknowledged: () => new DiscordApiError(400, 40060, 'Interaction has already been acknowledged.'),
  tooManyFollowUps: () =>
    new DiscordApiError(400, 40094, 'This interaction has reached its maximum number of follow-up messages.'),
  missingAccess: () => new DiscordApiError(403, 50001, 'Missing Access'),
  notMessageAuthor: () => new DiscordApiError(403, 50005, 'Cannot edit a message authored by another user'),
  emptyMessage: () => new DiscordApiError(400, 50006, 'Cannot send an empty message'),
  closedDirectMessages: () => new DiscordApiError(403, 50007, 'Cannot send messages to this user'),
  missingPermissions: () => new DiscordApiError(403, 50013, 'Missing Permissions'),
  invalidWebhookToken: () => new DiscordApiError(401, 50027, 'Invalid Webhook Token'),
  invalidRecipients: () => new DiscordApiError(400, 50033, 'Invalid Recipient(s)'),
  noMutualGuilds: () =>
    new DiscordApiError(403, 50278, 'Cannot send messages to this user due to having no mutual guilds'),
  tooLarge: () => new DiscordApiError(413, 40005, 'Request entity too large'),
  invalidJson: () => new DiscordApiError(400, 50109, 'The request body contains invalid JSON.'),
};

/**
 * The member's client rejects the input before sending it, so the bot never receives it. Its `code` says why, such as
 * `option_missing` or `disabled`.
 * @category Errors
 */
export class RejectedByClientError extends LocalDiscordError {}

/** @throws RejectedByClientError */
export function reject(code: KnownErrorCode, message: string): never {
  throw new RejectedByClientError(code, message);
}

/** Throws the error, where an expression is needed. */
export function raise(error: DiscordApiError): never {
  throw error;
}
