import { day } from '@tallyhook/platform/durations';
import { type Vote, voteKindOf } from '../event.ts';
import {
  type Fields,
  InvalidFieldError,
  isObject,
  readEventTime,
  readExternalId,
  readField,
  readTimestamp,
} from '../fields.ts';
import type { ParsedPayload } from '../payload.ts';
import { isOldSignature, oldSignature } from './scheme.ts';
import type { ReadingContext, Site, VoteReading } from './site.ts';

export interface ReceivingListing {
  /** Null if it is not known: then what the delivery says, or else what the site lists. */
  readonly kind: 'server' | 'bot' | null;
  readonly id: string | null;
}

/** A parsed delivery of a site: also another event of the site, which is logged and pays nothing. */
export type SitePayload = ParsedPayload | IgnoredPayload;

export interface IgnoredPayload {
  readonly type: 'ignored';
  /** The event by the site's name for it. */
  readonly kind: string;
}

/** Weights that sites state are at most 2. */
const maxWeight = 4;
/** A later end of a cooldown is treated as an error of the sender, which would silence reminders (ms). */
const maxCooldownMs = 8 * day;
const maxKindLength = 100;

/** Parses a delivery whose sender is known. Never throws: what is not understood is quarantined. */
export function readDelivery(
  site: Site,
  json: unknown,
  listing: ReceivingListing,
  context: ReadingContext,
): SitePayload {
  const [listedKind = 'bot'] = site.kinds;
  const knownKind = listing.kind ?? listedKind;
  const kind = voteKindOf(knownKind);
  const unprocessable = (reason: string) => ({ type: 'unprocessable', kind, reason, family: 'vote' }) as const;
  if (!isObject(json)) return unprocessable('the body is not a JSON object');
  try {
    const reading = site.read(json, context);
    switch (reading.type) {
      case 'vote':
        return {
          type: 'event',
          event: toVote(reading, { id: listing.id, kind: listing.kind ?? reading.kind ?? knownKind }, context.now),
        };
      case 'test': {
        const userId = isVoterId(reading.userId) ? reading.userId : null;
        return { type: 'test', kind, userId, target: { kind: knownKind, id: null } };
      }
      case 'ignored':
        return { type: 'ignored', kind: reading.event.slice(0, maxKindLength).replaceAll('\0', '').toWellFormed() };
      case 'unclear':
        return unprocessable(reading.reason);
    }
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error;
    return unprocessable(error.message);
  }
}

interface VotedListing extends ReceivingListing {
  readonly kind: 'server' | 'bot';
}

/** @throws InvalidFieldError */
function toVote(reading: VoteReading, listing: VotedListing, now: number): Vote {
  const { userId, target, kind = listing.kind, at = null, nextVoteAt = null } = reading;
  if (userId === undefined || userId === null) throw new InvalidFieldError('the vote names no user');
  if (!isVoterId(userId)) throw new InvalidFieldError('the user is not a Discord ID of 17 to 20 digits');
  requireTarget(target, kind, listing);
  return {
    family: 'vote',
    kind: voteKindOf(listing.kind),
    target: { kind: listing.kind, id: typeof target === 'string' ? target : null },
    userId,
    at,
    creditsAwarded: null,
    denial: null,
    atSite: {
      id: readExternalId(reading.id, 'the ID of the vote'),
      weight: weightOf(reading.weight),
      nextVoteAt: isPlausibleEnd(nextVoteAt, at ?? now) ? nextVoteAt : null,
    },
  };
}

/** A Discord ID; IDs of the sites themselves are shorter, or no numbers. A JSON number has lost digits. */
function isVoterId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{17,20}$/.test(value);
}

/** The address selects the listing, so a delivery that names another one is mixed up. @throws InvalidFieldError */
function requireTarget(target: unknown, kind: 'server' | 'bot', listing: VotedListing): void {
  if (kind !== listing.kind)
    throw new InvalidFieldError(`the vote is for a ${kind}, and the listing a ${listing.kind}`);
  if (target === undefined || target === null) return;
  if (typeof target !== 'string' || !/^\d{1,20}$/.test(target))
    throw new InvalidFieldError('the voted server or bot is not a Discord ID');
  if (listing.id !== null && listing.id !== target)
    throw new InvalidFieldError('the vote is for another server or bot than the listing');
}

function weightOf(weight: unknown): number {
  return typeof weight === 'number' && weight > 0 ? Math.min(weight, maxWeight) : 1;
}

function isPlausibleEnd(nextVoteAt: number | null, at: number): boolean {
  return nextVoteAt !== null && nextVoteAt > at && nextVoteAt <= at + maxCooldownMs;
}

/** The payload, unless its signature is too old. Times are ms since the epoch. */
export function refuseOld(payload: SitePayload, signedAt: number | null, now: number): SitePayload {
  if (payload.type !== 'event' || !isOldSignature(signedAt, now)) return payload;
  return { type: 'unprocessable', kind: payload.event.kind, reason: oldSignature, family: 'vote' };
}

/*
 * For the readers of sites.
 */

/** A value by its path, as of `user.id`. Undefined also for null, and for a path through what is no object. */
export function readPath(json: Fields, path: string): unknown {
  let value: unknown = json;
  for (const name of path.split('.')) {
    if (!isObject(value)) return undefined;
    value = readField(value, name);
  }
  return value;
}

/** A time in whole seconds since the epoch, as ms. @throws InvalidFieldError */
export function readSeconds(value: unknown, name: string, now: number): number | null {
  if (value === undefined || value === null) return null;
  const isTime = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxSeconds;
  if (!isTime) throw new InvalidFieldError(`${name} is not a time in seconds`);
  // Read once more as a text, for the limit that holds for all events.
  return readEventTime(new Date(value * 1_000).toISOString(), now);
}

/** The end of the year 9999. */
const maxSeconds = 253_402_300_799;

/** A field that should be true or false. @throws InvalidFieldError for anything else */
export function readFlag(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new InvalidFieldError(`${name} is not a boolean`);
}

/** The name of an event. @throws InvalidFieldError if the delivery has none: it may be a test */
export function readEventName(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidFieldError(`${field} does not name the event`);
}

/** A time that only helps: null also if it is invalid (ms since the epoch). */
export function readTimeOrNull(value: unknown): number | null {
  try {
    return readTimestamp(value, 'time');
  } catch {
    return null;
  }
}
