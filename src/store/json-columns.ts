import type { LastVotes } from '../ledger/account.ts';
import type { Announcement } from '../outbox/effect.ts';
import type { VoteHistory } from '../rewards/history.ts';

/*
 * Checks of the columns that hold JSON. Plain functions, because `last_votes` is read for every vote, and because the
 * write worker starts faster without a schema library.
 */

/** Parses `balances.last_votes`. Throws an Error if it is not an object of times. */
export function parseLastVotes(text: string): LastVotes {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !hasNumbers(value)) throw new Error('balances.last_votes is not an object of times.');
  return value;
}

/**
 * Parses `balances.history`. Only its shape is checked at the top: a wrong history could only have been written by
 * another program. Throws an Error if it is not a history.
 */
export function parseHistory(text: string): VoteHistory {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !isHistory(value)) throw new Error('balances.history is not a history of votes.');
  return value;
}

function isHistory(value: JsonObject): value is JsonObject & VoteHistory {
  const { votes, start, days, bonusDays, streak } = value;
  const hasStart = start === null || typeof start === 'number';
  return typeof votes === 'number' && hasStart && isObject(days) && Array.isArray(bonusDays) && isObject(streak);
}

/** Parses `balances.roles`. Throws an Error if it is not an array of Discord IDs. */
export function parseRoles(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new Error('balances.roles is not an array of ids.');
  }
  return value;
}

/** The announcement for `effects.content`: its values without their names, which would double the length. */
export function serializeAnnouncement(announcement: Announcement): string {
  const { event, test, listing, userId, credits, balance, reason, at, nextVoteAt, tier, giftedBy } = announcement;
  return JSON.stringify([event, test, listing, userId, credits, balance, reason, at, nextVoteAt, tier, giftedBy]);
}

/** Parses `effects.content`. Throws an Error that names the effect if it is not an announcement. */
export function parseAnnouncement(text: string, effectId: number): Announcement {
  const value: unknown = JSON.parse(text);
  // Versions before 0.2 stored an object.
  const fields = Array.isArray(value) ? withNames(value) : value;
  if (!isObject(fields) || !isAnnouncement(fields))
    throw new Error(`effects.content is not an announcement (effect ${effectId}).`);
  return fields;
}

function withNames(values: readonly unknown[]): JsonObject {
  return Object.fromEntries(Object.keys(announcementFields).map((field, index) => [field, values[index]]));
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasNumbers(value: JsonObject): value is Readonly<Record<string, number>> {
  return Object.values(value).every((item) => typeof item === 'number');
}

type TypeName = 'string' | 'number' | 'boolean';

/** The JSON type of each field in stored order; `null` in addition for those that are nullable. */
const announcementFields: Readonly<Record<keyof Announcement, readonly [TypeName] | readonly [TypeName, null]>> = {
  event: ['string'],
  test: ['boolean'],
  listing: ['string'],
  userId: ['string', null],
  credits: ['number'],
  balance: ['number', null],
  reason: ['string', null],
  at: ['number'],
  nextVoteAt: ['number', null],
  tier: ['string', null],
  giftedBy: ['string', null],
};

function isAnnouncement(value: JsonObject): value is JsonObject & Announcement {
  return Object.entries(announcementFields).every(([field, [type, nullable]]) => {
    const item = value[field];
    return typeof item === type || (nullable === null && item === null);
  });
}
