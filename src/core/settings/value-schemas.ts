import { closest } from '@tallyhook/platform/did-you-mean';
import { durationPattern, expectedDuration, isDurationInRange, parseDuration } from '@tallyhook/platform/duration-text';
import { once } from '@tallyhook/platform/memoize';
import { apiKeyForm, idForm, pasted } from '@tallyhook/platform/pasted-forms';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import { breaks, rule } from './rules.ts';

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
  pasted(
    idForm(kind),
    { error: ({ input }) => (typeof input === 'number' ? roundedNumber : expectedId) },
    { rule: rule('discordId') },
  ).meta({ pattern: snowflakePattern.source });
export const id = idOf('any');
export const guildId = idOf('server');
export const channelId = idOf('channel');
export const roleId = idOf('role');

/** Visible ASCII, as allowed in a header. */
export const apiKey = pasted(apiKeyForm, undefined, { rule: rule('apiKey') });

export function wholeNumber(min: number, max: number) {
  const expected = `it must be a whole number from ${min} to ${max}`;
  const error = breaks(rule('wholeNumber', { min, max }), expected);
  return z.int(error).min(min, error).max(max, error);
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
export const timeZone = z.string(expectedZone).superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const zone = zoneLike(name);
  const broken = zone === undefined ? rule('timeZone') : rule('timeZoneMeant', { name: name.slice(0, 50), zone });
  context.addIssue({ code: 'custom', message: expectedZone, params: { rule: broken } });
});

/** For checks of a whole list or object, whose parts have their final form only if they are valid. */
export function hasNoIssues({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0;
}

/** Cities by their names in lower case, as in "berlin" and "new york". */
const zonesByCity = once(
  () => new Map(Intl.supportedValuesOf('timeZone').map((zone) => [cityOf(zone).toLowerCase(), zone])),
);

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

/** The zone of a city: `Europe/Berlin` for "Berlin". Other texts stay as they are. */
export function zoneNamed<Text extends string | undefined>(text: Text): Text | string {
  if (text === undefined || isTimeZone(text)) return text;
  return zonesByCity().get(text.trim().replaceAll('_', ' ').toLowerCase()) ?? text;
}

/** The zone, or that of the city, with a name like this one. */
function zoneLike(name: string): string | undefined {
  const city = closest(name, [...zonesByCity().keys()]);
  return closest(name, [...zonesByCity().values()]) ?? (city && zonesByCity().get(city));
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
