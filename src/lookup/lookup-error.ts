import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { TallyhookError } from '@tallyhook/platform/errors';

/** Hints for the operator, by error. */
const hints: Readonly<Record<LookupErrorCode, string>> = {
  /** Status 400 on an endpoint that does not accept this kind of key (document, section 5.5). */
  lookup_wrong_key_type:
    "Check in the settings that this is the listing's own key, and that the server's key and the bot's key are not swapped.",
  /**
   * Status 400 for a parameter, such as a user id that is not numeric (document, section 7), or a parameter rejected
   * before sending.
   */
  lookup_bad_parameter:
    'Correct the parameter: a user id has 1 to 20 digits, a limit is a whole number from 1 to 50, a sort is newest, highest or lowest.',
  /** Status 400 that may concern the key or a parameter; its error text does not say which (document, section 7). */
  lookup_bad_request:
    'Check that the key belongs to a server. If it does, the service rejects a documented request: report this message.',
  /** Status 401: the key is missing or invalid (document, section 5.4). */
  lookup_key_refused:
    "Copy the API key again from the service's dashboard (edit view, advanced setup), and restart the program with it.",
  /** Status 404. */
  lookup_not_found: 'If every request fails with it, check that the base URL of the service ends in /api/v1.',
  /** Status 429: the service counts more requests than we sent (document, section 8). */
  lookup_rate_limited: 'Another program uses the same key. Stop it, or give it its own key.',
  /** Our own request budget is exhausted; no request was sent. */
  lookup_over_budget:
    'Wait. If it happens often, check which commands send many requests, and whether votes arrive by webhook.',
  /** The request could not be counted in the budget; no request was sent. */
  lookup_uncounted: 'Check that the disk has free space and that no other program holds a lock on the database.',
  /** Status 5xx, or a response that reports a failure. */
  lookup_service_error: 'Wait: this is an error of the service.',
  /** No connection, or an interrupted one. */
  lookup_unreachable: 'Check the base URL of the service in the settings, and that this machine can reach it.',
  /** No complete response in time. */
  lookup_timeout: 'Wait: the service or the network is slow.',
  /** A response that is not JSON; often a page of a proxy in front of the service. */
  lookup_not_json: 'Check that the base URL of the service ends in /api/v1 and that no proxy responds in its place.',
  /** JSON that does not match the document, or a longer response than any documented one. */
  lookup_wrong_shape: 'The service may have changed. Look for a newer version of tallyhook, or report this message.',
  /** Any other status, including redirects. They are never followed, because the key would be sent along. */
  lookup_unexpected_status: 'Check the base URL of the service in the settings (https, and ending in /api/v1).',
};

/** Errors until the operator or a new version fixes them: logged once, until a request succeeds again. */
const persistent: readonly LookupErrorCode[] = ['lookup_wrong_key_type', 'lookup_key_refused', 'lookup_wrong_shape'];

/** Details of a failed lookup. @category Errors */
export interface LookupErrorOptions {
  /** The earliest time at which a retry makes sense (ms since the epoch). */
  readonly retryAt?: number | null;
  /** The HTTP status of the response. */
  readonly status?: number;
  /** Replaces the hint of the code. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * A lookup without a usable response. Members read the text for its `code` in `texts/`; `message` and `hint` are for
 * the operator. The message may quote the service (at most 200 characters), and never contains the key.
 * @category Errors
 */
export class LookupError extends TallyhookError {
  declare readonly code: LookupErrorCode;
  declare readonly hint: string;
  /** When a retry makes sense at the earliest (ms since the epoch); null if unknown, or if waiting is in vain. */
  readonly retryAt: number | null;
  /** The HTTP status of the response; null without a response. */
  readonly status: number | null;

  constructor(code: LookupErrorCode, message: string, options: LookupErrorOptions = {}) {
    const { retryAt = null, status = null, hint = hints[code] } = options;
    super(code, message, { hint, ...('cause' in options ? { cause: options.cause } : {}) });
    this.retryAt = retryAt;
    this.status = status;
  }

  /** Checks whether it lasts until the operator or a new version fixes it. */
  get isPersistent(): boolean {
    return persistent.includes(this.code);
  }
}
