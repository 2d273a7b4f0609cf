import { hash } from 'node:crypto';
import type { Vote } from '../../webhook/event.ts';
import { createEventKeys, type EventKey, keyLength } from '../../webhook/event-key.ts';
import { namesOfTarget } from './community.ts';
import type { ListingContext } from './listing-context.ts';

export type { EventKey };

const keys = createEventKeys(hash);
export const { voteKey, voteKeys, premiumKeys } = keys;

/** Whether its keys identify a vote, other than by the time at which it was received. */
export function isIdentified({ at, statedAt, atSite }: Vote): boolean {
  return at !== null || statedAt !== undefined || (atSite?.id ?? null) !== null;
}

/**
 * The key of a member's last vote for a listing, which is kept for a while when the member is forgotten. Then the
 * account no longer recognises a repeat of a vote without a timestamp.
 */
export function forgottenVoteKey(userId: string, listing: string): EventKey {
  return keys.untimedKey(`forgotten ${userId} ${listing}`);
}

/**
 * Replaces the idempotency key of a correction if it contains the id of a member who is forgotten, so that a repeat is
 * still recognised.
 */
export function forgottenCorrectionKey(idempotencyKey: string): string {
  return `forgotten-${hash('sha256', idempotencyKey).slice(0, keyLength)}`;
}

/** The keys of a member's last votes for the target of a listing, one for each of its names. */
export function forgottenVoteKeys(userId: string, { name, community }: ListingContext): readonly EventKey[] {
  return namesOfTarget(community, name).map((each) => forgottenVoteKey(userId, each));
}
