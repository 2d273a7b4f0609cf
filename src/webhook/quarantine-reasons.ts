/**
 * Reasons that several modules use. They are stored in the delivery log, and `aheadOfTime` is compared with stored
 * rows, so its text must not change; nor must `rateAlarm`.
 */
export const quarantineReasons = {
  /** The delivery is valid, but its timestamp is in the future. */
  aheadOfTime: 'timestamp is more than 5 minutes ahead',
  /** The payload is valid, but no listing of the secret matches it. */
  noListing: 'no configured listing matches the event',
  /** It can only be recorded for the listing whose secret has signed it, and that one was removed. */
  listingGone: 'its listing is not configured any more',
  /** A purchase or renewal of which only the buyer is known. */
  noRecipient: 'it may be a gift, but names no readable recipient',
  /** Its listing has many more votes than usual, and can be forged. */
  rateAlarm: 'many more votes than usual',
  /** The owner has rejected it after that; it is not in the quarantine any more. */
  rejected: 'rejected by the owner',
  /** It is recorded, but not with its own time. */
  oldTimestamp: 'its timestamp is years back, so the time of receipt counts',
} as const;
