import { type Fields, matches } from '@tallyhook/platform/json';
import type { Announcement, Bonus, GivenRole } from './effect-contents.ts';

/**
 * The text for `effects.content` of an announcement: its values without their names, which would double the length.
 * Later versions only add values at the end.
 */
export function serializeAnnouncement(content: Announcement): string {
  const { event, test, listing, userId, credits, balance, reason, at, nextVoteAt, tier, giftedBy } = content;
  const { streak, calculation } = content;
  return JSON.stringify([
    ...[event, test, listing, userId, credits, balance, reason, at, nextVoteAt, tier, giftedBy],
    ...[streak, calculation],
    content.bonuses.map((bonus) => [bonus.cause, bonus.credits, bonus.count]),
    content.roles.map(({ role, until }) => [role, until]),
  ]);
}

/** The fields of an announcement that are plain values. */
type PlainAnnouncement = Omit<Announcement, 'streak' | 'calculation' | 'bonuses' | 'roles'>;

/** In stored order. */
const announcementFields: Fields<PlainAnnouncement> = {
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
const announcementNames = Object.keys(announcementFields);

/** Null if it is not what {@link serializeAnnouncement} writes. */
export function parseAnnouncement(value: unknown): Announcement | null {
  if (!Array.isArray(value)) return null;
  const fields: unknown = Object.fromEntries(announcementNames.map((field, index) => [field, value[index]]));
  if (!matches(fields, announcementFields)) return null;
  const [streak, calculation, bonuses, roles] = value.slice(announcementNames.length);
  if (!isNullOr(streak, 'number') || !isNullOr(calculation, 'string')) return null;
  if (!isListOf(bonuses, isStoredBonus) || !isListOf(roles, isStoredRole)) return null;
  return {
    ...fields,
    streak,
    calculation,
    bonuses: bonuses.map(([cause, credits, count]): Bonus => ({ cause, credits, count })),
    roles: roles.map(([role, until]): GivenRole => ({ role, until })),
  };
}

interface TypesByName {
  readonly string: string;
  readonly number: number;
}

function isNullOr<Name extends keyof TypesByName>(value: unknown, type: Name): value is TypesByName[Name] | null {
  return value === null || typeof value === type;
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isStoredBonus(value: unknown): value is readonly [cause: string, credits: number, count: number] {
  if (!Array.isArray(value)) return false;
  return typeof value[0] === 'string' && typeof value[1] === 'number' && typeof value[2] === 'number';
}

function isStoredRole(value: unknown): value is readonly [role: string, until: number | null] {
  return Array.isArray(value) && typeof value[0] === 'string' && isNullOr(value[1], 'number');
}
