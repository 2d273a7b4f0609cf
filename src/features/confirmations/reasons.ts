/** Why a vote that is to be confirmed is in the quarantine. */
export const reasons = {
  waiting: 'the vote waits until its site confirms it',
  refused: 'the site says that the member has not voted',
  unknown: 'the site did not say within 24 hours whether the member has voted',
} as const;
