import { TallyhookError } from '../platform/errors.ts';

/** Everything that can become of a question to the service other than an answer. */
export type LookupErrorCode =
  | 'lookup_wrong_key_type'
  | 'lookup_bad_parameter'
  | 'lookup_bad_request'
  | 'lookup_key_refused'
  | 'lookup_not_found'
  | 'lookup_rate_limited'
  | 'lookup_over_budget'
  | 'lookup_uncounted'
  | 'lookup_service_error'
  | 'lookup_unreachable'
  | 'lookup_timeout'
  | 'lookup_not_json'
  | 'lookup_wrong_shape'
  | 'lookup_unexpected_status';

interface Particulars {
  code: LookupErrorCode;
  message: string;
  cure: string;
  retryAt?: number | null;
  cause?: unknown;
}

/**
 * The service did not give an answer that can be used. What a member reads about it is written in `texts/`, by the `code`; the message
 * and the `cure` are for the owner. The message may quote the service (at most 200 characters); the key is never in it.
 */
export abstract class LookupError extends TallyhookError {
  declare readonly code: LookupErrorCode;
  declare readonly hint: string;
  /** When asking again makes sense (ms since the epoch); null when that is not known or time alone does not help. */
  readonly retryAt: number | null;

  constructor({ code, message, cure, retryAt = null, ...rest }: Particulars) {
    super(code, message, { ...rest, hint: cure });
    this.retryAt = retryAt;
  }
}

/** Status 400 on an endpoint that the key does not fit, or a question that a key of this kind cannot answer (document, section 5.5). */
export class LookupWrongKeyType extends LookupError {
  constructor(
    message: string,
    cure = "Check in the settings that the key is the listing's own, and that the server's key and the bot's key are not swapped.",
  ) {
    super({ code: 'lookup_wrong_key_type', message, cure });
  }
}

/** Status 400 for a parameter, such as a user id that is not numeric (document, section 7). */
export class LookupBadParameter extends LookupError {
  constructor(message: string) {
    super({
      code: 'lookup_bad_parameter',
      message,
      cure: 'Correct what the message names: a user id has 1 to 20 digits, a limit is a whole number from 1 to 50, a sort is newest, highest or lowest.',
    });
  }
}

/** Status 400 whose cause can be the key as well as a parameter, and whose error text does not tell (document, section 7). */
export class LookupBadRequest extends LookupError {
  constructor(message: string) {
    super({
      code: 'lookup_bad_request',
      message,
      cure: 'Check that the key belongs to a server. If it does, the service rejects what its document allows: report this message.',
    });
  }
}

/** Status 401: the key is missing or invalid (document, section 5.4). */
export class LookupKeyRefused extends LookupError {
  constructor(message: string) {
    super({
      code: 'lookup_key_refused',
      message,
      cure: "Copy the API key anew from the service's dashboard (edit view, advanced setup) into the settings, and restart or send SIGHUP.",
    });
  }
}

/** Status 404. */
export class LookupNotFound extends LookupError {
  constructor(message: string) {
    super({
      code: 'lookup_not_found',
      message,
      cure: 'If it happens with every question, check that the base address of the service ends in /api/v1.',
    });
  }
}

/** Status 429: the service counts more requests than it allows, although we stay below (document, section 8). */
export class LookupRateLimited extends LookupError {
  declare readonly retryAt: number;

  constructor(message: string, retryAt: number) {
    super({
      code: 'lookup_rate_limited',
      message,
      retryAt,
      cure: 'Somebody else asks with the same key. Stop the other program, or give it a key of its own.',
    });
  }
}

/** Our own budget is used up; the service was not asked. */
export class LookupOverBudget extends LookupError {
  constructor(message: string, retryAt: number) {
    super({
      code: 'lookup_over_budget',
      message,
      retryAt,
      cure: 'It passes by itself. If it comes back often, see which commands ask so much, and whether votes arrive by webhook.',
    });
  }
}

/** The request could not be counted, so it must not leave; the service was not asked. */
export class LookupBudgetUnavailable extends LookupError {
  constructor(retryAt: number, cause: unknown) {
    super({
      code: 'lookup_uncounted',
      message: 'The service was not asked, because its requests cannot be counted: the database cannot be written.',
      retryAt,
      cause,
      cure: 'Check that the disk has room and that no other program holds a lock on the database.',
    });
  }
}

/** Status 5xx, or an answer that says itself that it failed. */
export class LookupServiceError extends LookupError {
  constructor(message: string, retryAt: number | null = null) {
    super({ code: 'lookup_service_error', message, retryAt, cure: 'The service has trouble of its own; wait for it.' });
  }
}

/** No connection, or one that broke. */
export class LookupUnreachable extends LookupError {
  constructor(message: string, cause: unknown) {
    super({
      code: 'lookup_unreachable',
      message,
      cause,
      cure: 'Check the base address of the service in the settings, and that this machine reaches it.',
    });
  }
}

/** No whole answer in time. */
export class LookupTimeout extends LookupError {
  constructor(message: string) {
    super({ code: 'lookup_timeout', message, cure: 'The service or the network is slow; wait for it.' });
  }
}

/** An answer that is not JSON; often a page of something that stands between us and the service. */
export class LookupNotJson extends LookupError {
  constructor(message: string) {
    super({
      code: 'lookup_not_json',
      message,
      cure: 'Check that the base address of the service ends in /api/v1 and that no proxy answers in its place.',
    });
  }
}

/** JSON that is not what the document describes, or more of it than any answer holds. */
export class LookupWrongShape extends LookupError {
  constructor(message: string) {
    super({
      code: 'lookup_wrong_shape',
      message,
      cure: 'The service may have changed. Look for a newer version of tallyhook, or report this message.',
    });
  }
}

/** Any status that the document does not speak of, redirects among them: they are never followed, the key would go along. */
export class LookupUnexpectedStatus extends LookupError {
  readonly status: number;

  constructor(message: string, status: number) {
    super({
      code: 'lookup_unexpected_status',
      message,
      cure: 'Check the base address of the service in the settings (https, and ending in /api/v1).',
    });
    this.status = status;
  }
}
