import type { Target } from '../ledger/event.ts';
import type { ReceivingListing } from './keyring.ts';

/**
 * Which of the listings that a secret serves an event is for: its kind decides between a server and a bot, the target's id between
 * several of one kind. Null when that cannot be told.
 */
export function addressee(listings: readonly ReceivingListing[], target: Target): ReceivingListing | null {
  const candidates = target.kind === null ? listings : listings.filter(({ kind }) => kind === target.kind);
  const [first, ...others] = candidates;
  if (first === undefined) return null;
  const severalOfAKind = others.some(({ kind }) => kind === first.kind);
  return severalOfAKind ? (candidates.find(({ id }) => id !== null && id === target.id) ?? null) : first;
}
