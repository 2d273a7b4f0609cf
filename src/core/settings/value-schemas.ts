import { z } from 'zod';
import { durationPattern, expectedDuration, isDurationInRange, parseDuration } from '../../platform/duration-text.ts';
import { apiKeyForm, idForm, pasted } from '../../platform/pasted-forms.ts';
import { snowflakePattern } from '../../platform/snowflake.ts';

/*
 * Schemas of single values in the file of `TALLYHOOK_CONFIG`. The message of each says what is valid; it completes
 * "… is invalid: ".
 */

const expectedId = 'it must be a Discord id: a string of digits';
const roundedNumber = `${expectedId}, in quotation marks, because a number is rounded`;
const expectedTime =
  'it must be a time in ISO 8601 with a time zone, such as 2026-12-01T00:00:00Z or 2026-12-01T00:00:00+01:00';
const expectedZone = 'it must be an IANA time zone, such as Europe/Berlin, America/New_York or UTC';

/** A Discord ID. */
const idOf = (kind: Parameters<typeof idForm>[0]) =>
  pasted(idForm(kind), {
    error: ({ input }) => (typeof input === 'number' ? roundedNumber : expectedId),
  }).meta({
    pattern: snowflakePattern.source,
  });
export const id = idOf('any');
export const guildId = idOf('server');
export const channelId = idOf('channel');
export const roleId = idOf('role');

/** Visible ASCII, as allowed in a header. */
export const apiKey = pasted(apiKeyForm);

export function wholeNumber(min: number, max: number) {
  const expected = `it must be a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

/** Whole credits. */
export const credits = wholeNumber(0, 1_000_000);

/** A duration such as `12h`, in ms. */
export const duration = z
  .string(`it must be ${expectedDuration}`)
  .regex(durationPattern, { error: `it must be ${expectedDuration}`, abort: true })
  .transform(parseDuration)
  .refine(isDurationInRange, `it must be ${expectedDuration}`);

/** An ISO 8601 time, in ms since the epoch. */
export const time = z.iso.datetime({ offset: true, error: expectedTime }).transform((text) => Date.parse(text));

/** The IANA name of a time zone. */
export const timeZone = z.string(expectedZone).refine(isTimeZone, expectedZone);

/** For checks of a whole list or object, whose parts have their final form only if they are valid. */
export function hasNoIssues({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0;
}

function isTimeZone(name: string): boolean {
  // Intl also accepts offsets such as +01:00, which know no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
