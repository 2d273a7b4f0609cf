import { type Fields, matches } from '@tallyhook/platform/json';

/** The contents of an announcement: all that is needed to post it without reading another table. */
export interface Announcement {
  /** The event type as in the payload (`server_vote`, `subscription.renewed`, …). */
  readonly event: string;
  /** Whether the dashboard's test button sent the delivery. A test pays nothing. */
  readonly test: boolean;
  /** The name of the configured listing. */
  readonly listing: string;
  /** The voter or the holder of the purchase; null when the event names nobody. */
  readonly userId: string | null;
  /** What this event paid (credits). */
  readonly credits: number;
  /** The balance after it (credits); null without a user. */
  readonly balance: number | null;
  /** Why it paid nothing or less: `within_cooldown` or the service's own text; null when it paid in full. */
  readonly reason: string | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
  /** When the voter may vote again (ms since the epoch); null unless the event is a vote. */
  readonly nextVoteAt: number | null;
  /** The purchased tier, as the service names it. */
  readonly tier: string | null;
  /** The user who paid for a gift. */
  readonly giftedBy: string | null;
  /** The voter's streak after it (days); null unless a vote was counted. */
  readonly streak: number | null;
  /** How multipliers raised the credits of the event itself (`10 × 2`); null if none applied. */
  readonly calculation: string | null;
  /** What else it earned. Its credits are part of `credits`. */
  readonly bonuses: readonly Bonus[];
  /** The roles that it gave or extended. */
  readonly roles: readonly GivenRole[];
}

/** A reward beside that of the event itself. */
export interface Bonus {
  readonly cause: string;
  /** Whole credits. */
  readonly credits: number;
  /** The days or votes that were reached; 0 if the cause has no number. */
  readonly count: number;
}

/** A role that a member was given. */
export interface GivenRole {
  /** The id of the role. */
  readonly role: string;
  /** When it is removed (ms since the epoch); null if it stays. */
  readonly until: number | null;
}

/** A role of a member. Whether the member should have it is decided when the effect is carried out. */
export interface MemberRole {
  readonly guildId: string;
  readonly userId: string;
  /** The id of the role. */
  readonly role: string;
}

/** What an effect of a role contains. */
export interface RoleContent extends MemberRole {
  /** Whether the contents are deleted when it is finished, because the member was forgotten. */
  readonly erase?: true;
}

/** What a direct message or a report to the owner says, by its type. */
export interface TypedMessage {
  readonly type: string;
}

/** A direct message to a member. */
export interface DirectMessage {
  readonly userId: string;
  readonly message: TypedMessage;
}

/** A message to the owner. */
export interface OwnerReport {
  /** The owner's channel. */
  readonly channelId: string;
  readonly report: TypedMessage;
}

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
