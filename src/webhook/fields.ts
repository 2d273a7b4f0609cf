import { isOnCalendar } from '@tallyhook/platform/calendar-date';
import { minute } from '@tallyhook/platform/durations';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { quarantineReasons } from './rejections.ts';

/** A required field is missing, or a field has an invalid value. The message is the quarantine reason. */
export class InvalidFieldError extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a text that is only displayed (UTF-16 units). */
const maxTextLength = 500;
/** Maximum length of an ID of the service (UTF-16 units). */
const maxExternalIdLength = 200;
/** A higher amount for one event is treated as an error of the sender (credits). */
const maxCredits = 1_000_000;
/** Tolerated difference by which the sender's clock may be ahead (ms). */
export const clockToleranceMs = 5 * minute;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own property; undefined for null. Names like `__proto__` never return an inherited value. */
export function readField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}

/** A nested object; empty if the field is missing or not an object. */
export function readObject(fields: Fields, name: string): Fields {
  const value = readField(fields, name);
  return isObject(value) ? value : {};
}

/** The voter's ID, from the flat or the nested form. Not validated. */
export function readVoterId(fields: Fields): unknown {
  return readField(fields, 'userId') ?? readField(readObject(fields, 'voter'), 'userId');
}

/** The server's ID, from the flat or the nested form. Not validated. */
export function readServerId(fields: Fields): unknown {
  return readField(fields, 'serverId') ?? readField(readObject(fields, 'server'), 'id');
}

/** The bot's ID, from the flat or the nested form. Not validated. */
export function readBotId(fields: Fields): unknown {
  return readField(fields, 'botId') ?? readField(readObject(fields, 'bot'), 'id');
}

/** A Discord ID of 1 to 20 digits; a number only if JSON cannot have rounded it. @throws InvalidFieldError */
export function readDiscordId(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  const id = parseDiscordId(value);
  if (id === null) throw new InvalidFieldError(`${name} is not an ID of 1 to 20 digits`);
  return id;
}

/** A Discord ID from an optional field; null for any other value. */
export function parseDiscordId(value: unknown): string | null {
  if (isSnowflake(value)) return value;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
}

/** An ID that the service assigns, for example of an order: any short text. @throws InvalidFieldError */
export function readExternalId(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (isSnowflake(value)) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && value.length <= maxExternalIdLength) return toStorableText(value);
  throw new InvalidFieldError(`${name} is not a text of at most ${maxExternalIdLength} characters`);
}

/** Text that is only displayed. Longer text is truncated, not rejected. */
export function readText(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  return toStorableText(value.slice(0, maxTextLength));
}

/** Removes what databases reject: NUL and lone surrogates. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

const iso8601 =
  /^(?<day>\d{4}-\d\d-\d\d)T(?<time>\d\d:\d\d(?::\d\d)?)(?:[.,](?<fraction>\d+))?(?:(?<utc>Z)|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?)$/i;

/**
 * An ISO 8601 time with a zone, in ms since the epoch. Accepts more than zod's `z.iso.datetime`, because senders
 * differ: a fraction of any length, a comma before it, a lowercase `t`, no seconds, and the zones `+02` and `+0200`.
 * @throws InvalidFieldError
 */
export function readTimestamp(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null;
  const parts = typeof value === 'string' ? iso8601.exec(value)?.groups : undefined;
  const time = parts === undefined ? Number.NaN : Date.parse(normalizeTime(parts));
  if (Number.isNaN(time) || !isOnCalendar(parts?.['day'] ?? ''))
    throw new InvalidFieldError(`${name} is not an ISO 8601 time with a time zone`);
  return time;
}

/** The form that `Date.parse` is specified for. */
function normalizeTime({
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
 * The time of the event (ms since the epoch, like `now`). Rejects a future time beyond the clock tolerance.
 * @throws InvalidFieldError
 */
export function readEventTime(value: unknown, now: number): number | null {
  const time = readTimestamp(value, 'timestamp');
  if (time !== null && time > now + clockToleranceMs) throw new InvalidFieldError(quarantineReasons.aheadOfTime);
  return time;
}

/**
 * The field `creditsAwarded`: whole credits, a boolean, or null if missing. Some senders write every value as a text.
 * @throws InvalidFieldError
 */
export function readCredits(value: unknown, name: string): number | boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  const credits = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value;
  if (typeof credits === 'number' && Number.isInteger(credits) && credits >= 0 && credits <= maxCredits) return credits;
  throw new InvalidFieldError(`${name} is neither a boolean nor a whole number from 0 to ${maxCredits}`);
}

/**
 * True if the delivery is a test from the dashboard. An unclear value is an error, because a test must not pay.
 * @throws InvalidFieldError
 */
export function readTestFlag(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (value === true) return true;
  throw new InvalidFieldError('test is not a boolean');
}
