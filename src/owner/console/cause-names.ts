import type { Cause } from '../../core/ledger/entry.ts';

/** The causes of entries in words. */
export const causeNames: Readonly<Record<Cause, string>> = {
  vote: 'vote',
  denied: 'denied vote',
  claim: 'claimed vote',
  within_cooldown: 'vote within the cooldown',
  premium: 'premium',
  revoked: 'revoked premium',
  streak: 'streak',
  milestone: 'milestone',
  party: 'vote party',
  allListings: 'votes on all listings',
  purchase: 'purchase',
  refund: 'refund',
  correction: 'correction',
};
