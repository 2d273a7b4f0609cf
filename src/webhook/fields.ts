import { isOnCalendar } from '../platform/clock.ts';
import { minute } from '../platform/durations.ts';
import { aheadOfTime } from '../tally/quarantine-log.ts';

/** A field that says something that cannot be understood. The message is the reason of the quarantine. */
export class InvalidFieldError extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

/** UTF-16 units, both of them. */
const longestText = 500;
const longestReference = 200;
/** More for one event is taken for a mistake (credits). */
const mostCredits = 1_000_000;
/** By how much the sender's clock may be ahead of ours (ms). */
const aheadTolerated = 5 * minute;

/** A nested object; empty where there is none, so that reading on finds nothing. */
export function readObject(fields: Fields, name: string): Fields {
  const value = readField(fields, name);
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a field of its own; null and absent are the same. Names like `__proto__` find nothing inherited. */
export function readField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}

/**
 * An id of Discord's: 1 to 20 digits. A number is taken only where no digit of it can have been lost in parsing.
 * @throws NotUnderstood
 */
export function readDiscordId(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  const id = readableId(value);
  if (id === null) throw new InvalidFieldError(`${name} is no id of 1 to 20 digits`);
  return id;
}

/** The same where an id only helps: null for anything that is not one. */
export function readableId(value: unknown): string | null {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? value : null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
}

/** An id of the service's own, such as an order's: any short text. @throws NotUnderstood */
export function readExternalId(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && value.length <= longestReference) return storable(value);
  throw new InvalidFieldError(`${name} is no text of at most ${longestReference} characters`);
}

/** Words that are only shown: cut rather than refused. */
export function readText(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  return storable(value.slice(0, longestText));
}

/** What databases take: no NUL, and no half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

const iso8601 =
  /^(?<day>\d{4}-\d\d-\d\d)T(?<time>\d\d:\d\d(?::\d\d)?)(?:[.,](?<fraction>\d+))?(?:(?<utc>Z)|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?)$/i;

/** ISO 8601 with a zone and a fraction of any length, as ms since the epoch. @throws NotUnderstood */
export function readTimestamp(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null;
  const parts = typeof value === 'string' ? iso8601.exec(value)?.groups : undefined;
  const at = parts === undefined ? Number.NaN : Date.parse(spelledForParsing(parts));
  if (Number.isNaN(at) || !isOnCalendar(parts?.['day'] ?? ''))
    throw new InvalidFieldError(`${name} is no ISO 8601 time with a zone`);
  return at;
}

function spelledForParsing({
  day,
  time,
  fraction,
  utc,
  hours,
  minutes = '00',
}: Record<string, string | undefined>): string {
  const milliseconds = fraction === undefined ? '' : `.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return `${day}T${time}${milliseconds}${utc === undefined ? `${hours}:${minutes}` : 'Z'}`;
}

/**
 * The time of the event itself, in ms since the epoch as `now`: never in the future, but for clocks that disagree.
 * @throws NotUnderstood
 */
export function timestamp(value: unknown, now: number): number | null {
  const at = readTimestamp(value, 'timestamp');
  if (at !== null && at > now + aheadTolerated) throw new InvalidFieldError(aheadOfTime);
  return at;
}

/** `creditsAwarded`: whole credits, a yes or no, or nothing said. @throws NotUnderstood */
export function readCredits(value: unknown, name: string): number | boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostCredits) return value;
  throw new InvalidFieldError(`${name} is neither a boolean nor a whole number from 0 to ${mostCredits}`);
}

/** The mark of a dashboard test. What is not plainly a yes or a no must not be paid for. @throws NotUnderstood */
export function readTestFlag(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (value === true) return true;
  throw new InvalidFieldError('test is no boolean');
}
