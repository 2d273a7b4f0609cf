import { createHmac, hash } from 'node:crypto';
import type { Vote } from '../../webhook/event.ts';
import { createEventKeys, type EventKey, keyLength } from '../../webhook/event-key.ts';
import { scopedKey } from '../ledger/account.ts';
import type { Draw } from '../rewards/luck.ts';
import { type CommunityContext, namesOfTarget } from './community.ts';
import type { ListingContext } from './listing-context.ts';

export type { EventKey };

const keys = createEventKeys(hash);
export const { premiumKeys } = keys;

/** A listing by its name, in its community: another one may have a listing with the same name at another time. */
export interface NamedListing {
  readonly name: string;
  readonly community: Pick<CommunityContext, 'id'>;
}

function keyOf({ name, community }: NamedListing): string {
  return scopedKey(community.id, name);
}

/** The key of a vote. @param receivedAt ms since the epoch, for a vote without a time */
export function voteKey(
  vote: Pick<Vote, 'at' | 'statedAt' | 'userId'>,
  listing: NamedListing,
  receivedAt: number,
): EventKey {
  return keys.voteKey(vote, keyOf(listing), receivedAt);
}

/** All keys of a vote: it is known if one of them is. @param receivedAt as of {@link voteKey} */
export function voteKeys(vote: Vote, listing: NamedListing, receivedAt: number): readonly [EventKey, ...EventKey[]] {
  return keys.voteKeys(vote, keyOf(listing), receivedAt);
}

/**
 * Decides about the luck of a vote by the key under which it is recorded, so that a replay or retry decides the same. A
 * vote without a time has a key of its receipt, which a replay keeps; a repeat of it is recognised, and decides nothing.
 * @param secret of the installation: nobody else knows what wins
 */
export function drawOf(secret: string, key: EventKey): Draw {
  return (name) => createHmac('sha256', secret).update(`luck ${key} ${name}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** True if its keys identify a vote, other than by the time at which it was received. */
export function isIdentified({ at, statedAt, atSite }: Vote): boolean {
  return at !== null || statedAt !== undefined || (atSite?.id ?? null) !== null;
}

/**
 * The key of a member's last vote for a listing, which is kept for a while when the member is forgotten. Then the
 * account no longer recognises a repeat of a vote without a timestamp.
 */
export function forgottenVoteKey(userId: string, listing: NamedListing): EventKey {
  return keys.untimedKey(`forgotten ${userId} ${keyOf(listing)}`);
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
  return namesOfTarget(community, name).map((each) => forgottenVoteKey(userId, { community, name: each }));
}

/*
 * Idempotency keys of changes by programs. Keys of other origins have no space, or begin with another word. A lone
 * surrogate, as of an emoji that was cut in two, is stored differently, so that a repeat would not be recognised. The entry
 * of such a change has its key as its achievement.
 */

const changePrefix = 'ledger ';
const refundPrefix = 'ledger-refund ';
const transferPrefix = 'ledger-transfer ';

/** The idempotency key of an award, a spend, and what a transfer gives. @param key as the program has passed it */
export function changeKeyOf(key: string): string {
  return changePrefix + key.toWellFormed();
}

export function refundKeyOf(key: string): string {
  return refundPrefix + key.toWellFormed();
}

/** The idempotency key of what a transfer takes. */
export function transferKeyOf(key: string): string {
  return transferPrefix + key.toWellFormed();
}

/** The keys of what else was stored because of a change: its refund, or what the transfer took; null for other corrections. */
export function companionsOf(idempotencyKey: string): { readonly refund: string; readonly transfer: string } | null {
  if (!idempotencyKey.startsWith(changePrefix)) return null;
  const key = idempotencyKey.slice(changePrefix.length);
  return { refund: refundPrefix + key, transfer: transferPrefix + key };
}

/** The key that a program has passed, of the key of a correction; null for one by a person. */
export function programKeyOf(idempotencyKey: string): string | null {
  const prefix = [changePrefix, refundPrefix, transferPrefix].find((each) => idempotencyKey.startsWith(each));
  return prefix === undefined ? null : idempotencyKey.slice(prefix.length);
}

/** The row of an entry with the key of the program that made it, instead of its achievement. */
export function withProgramKey<Row extends { readonly achievement: string | null }>({ achievement, ...entry }: Row) {
  const key = achievement === null ? null : programKeyOf(achievement);
  return key === null ? entry : { ...entry, key };
}
