import type { EventTarget } from '../ledger/event.ts';
import type { ListingContext } from '../tally/tally.ts';

/** A listing that deliveries can be meant for. */
export interface ResolvableListing extends ListingContext {
  /** Discord id of the server or bot; null where it need not be known. */
  readonly id: string | null;
  /** Only what names its kind is for it: the settings describe it without having been asked for it. */
  readonly implied: boolean;
}

/** What an event needs to know of a listing, without its secrets. */
export function withoutSecrets(listing: ResolvableListing): ResolvableListing {
  const { id, implied, name, kind, rules, announceChannelId, premiumChannelId } = listing;
  return { id, implied, name, kind, rules, announceChannelId, premiumChannelId };
}

/**
 * Which of the listings that a secret serves an event is for: its kind decides between a server and a bot, the target's id between
 * several of one kind. Null when that cannot be told.
 */
export function resolveListing(listings: readonly ResolvableListing[], target: EventTarget): ResolvableListing | null {
  const candidates = target.kind === null ? listings : listings.filter(({ kind }) => kind === target.kind);
  const [first, ...others] = candidates;
  if (first === undefined) return null;
  const severalOfAKind = others.some(({ kind }) => kind === first.kind);
  return severalOfAKind ? (candidates.find(({ id }) => id !== null && id === target.id) ?? null) : first;
}
