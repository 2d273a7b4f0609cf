import { TallyhookError } from '../../platform/errors.ts';

/** The error tree under "errors" of an "Invalid Form Body" response: field names and indexes down to `_errors`. */
export interface FieldErrors {
  [field: string]: FieldErrors | readonly FieldError[];
}

export interface FieldError {
  readonly code: string;
  readonly message: string;
}

/** A Discord API error response. Discord: "Opcodes and Status Codes", JSON error codes. */
export class DiscordApiError extends TallyhookError {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;

  constructor(status: number, code: number, message: string, errors?: FieldErrors) {
    super('discord_refusal', message);
    this.status = status;
    this.json = errors === undefined ? { message, code } : { message, code, errors };
  }
}

/** An error response of OAuth2 itself. RFC 6749, section 5.2. */
export class OAuth2Error extends TallyhookError {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;

  constructor(status: number, error: string) {
    super('discord_refusal', error);
    this.status = status;
    this.json = { error };
  }
}

/** An "Invalid Form Body" response with one error that no schema can express. */
export function fieldError(path: readonly (string | number)[], code: string, message: string): DiscordApiError {
  const errors = path.reduceRight<FieldErrors>((inner, step) => ({ [step]: inner }), { _errors: [{ code, message }] });
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
  unknownMember: () => new DiscordApiError(404, 10007, 'Unknown Member'),
  unknownMessage: () => new DiscordApiError(404, 10008, 'Unknown Message'),
  unknownRole: () => new DiscordApiError(404, 10011, 'Unknown Role'),
  unknownUser: () => new DiscordApiError(404, 10013, 'Unknown User'),
  unknownWebhook: () => new DiscordApiError(404, 10015, 'Unknown Webhook'),
  unknownInteraction: () => new DiscordApiError(404, 10062, 'Unknown interaction'),
  unknownCommand: () => new DiscordApiError(404, 10063, 'Unknown application command'),
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

/** The member's client rejects the input before sending it, so the bot never receives it. */
export class RejectedByClientError extends TallyhookError {}
