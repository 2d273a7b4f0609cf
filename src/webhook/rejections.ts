import { maxBodyBytes } from '@tallyhook/platform/http/max-body-bytes';

interface RejectionDefinition {
  readonly status: number;
  /** For the sender, so it reveals nothing about the secrets. */
  readonly message: string;
}

/** @param maxBytes what the site of the listing may send */
export function tooLarge(maxBytes: number): string {
  return `The body is larger than ${maxBytes} bytes.`;
}

/** Why a delivery is not accepted, apart from the state of the receiver. */
export const rejections = {
  webhook_method: { status: 405, message: 'Send deliveries with POST.' },
  webhook_body_encoded: { status: 415, message: 'Send the body uncompressed: the signature covers its raw bytes.' },
  webhook_body_too_large: { status: 413, message: tooLarge(maxBodyBytes) },
  webhook_signature_missing: { status: 401, message: 'The header x-webhook-signature is missing.' },
  webhook_signature_malformed: { status: 401, message: 'The signature is not 64 lowercase hex digits.' },
  webhook_signature_mismatch: {
    status: 401,
    message:
      'The signature does not match. Compare the secret with the one in the dashboard, ' +
      'and check for a trailing space or line break.',
  },
  webhook_wrong_family: {
    status: 401,
    message:
      'The signature is valid, but for the other family: votes and premium events have separate secrets and paths.',
  },
  webhook_vote_unsigned: { status: 401, message: 'Only server votes are accepted without a signature.' },
  webhook_body_empty: { status: 400, message: 'The body is empty.' },
  webhook_body_not_json: { status: 400, message: 'The body is not JSON.' },
} as const satisfies Readonly<Record<string, RejectionDefinition>>;

export type RejectionCode = keyof typeof rejections;

/** Why a delivery of a known sender is not accepted. */
export type PayloadRejection = Extract<
  RejectionCode,
  'webhook_wrong_family' | 'webhook_vote_unsigned' | 'webhook_body_empty' | 'webhook_body_not_json'
>;

/**
 * Reasons that several modules use. They are stored in the delivery log, and `aheadOfTime` is compared with stored
 * rows, so its text must not change; nor must `rateAlarm`.
 */
export const quarantineReasons = {
  /** The delivery is valid, but its timestamp is in the future. */
  aheadOfTime: 'timestamp is more than 5 minutes ahead',
  /** The payload is valid, but no listing of the secret matches it. */
  noListing: 'no configured listing matches the event',
  /** The delivery can only be recorded for the listing whose secret has signed it, and that one was removed. */
  listingGone: 'its listing is not configured any more',
  /** A purchase or renewal of which only the buyer is known. */
  noRecipient: 'it may be a gift, but names no readable recipient',
  /** The listing has many more votes than usual, and can be forged. */
  rateAlarm: 'many more votes than usual',
  /** The owner has rejected it after that; it is not in the quarantine any more. */
  rejected: 'rejected by the owner',
  /** The delivery is recorded, but not with its own time. */
  oldTimestamp: 'its timestamp is years back, so the time of receipt counts',
} as const;

/**
 * Why a genuine vote is refused for good: nobody is paid, and its delivery is logged as ignored. Its owner can pay it all the
 * same. Stored in the delivery log, so they must not change.
 */
export const refusalReasons = ['blocked', 'account_too_new', 'not_a_member'] as const;
export type Refusal = (typeof refusalReasons)[number];

interface LoggedOutcome {
  readonly outcome: string;
  readonly reason?: string | null;
}

/** Why a delivery from the log was refused; null if it was not. */
export function refusalOf({ outcome, reason }: LoggedOutcome): Refusal | null {
  return outcome === 'ignored' ? (refusalReasons.find((each) => each === reason) ?? null) : null;
}

/** True if a delivery from the log has paid nothing yet, and may be recorded again: it is quarantined, or was refused. */
export function isReplayable(delivery: LoggedOutcome): boolean {
  return delivery.outcome === 'quarantined' || refusalOf(delivery) !== null;
}
