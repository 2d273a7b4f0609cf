import { closest } from '@tallyhook/platform/did-you-mean';
import { durationPattern, expectedDuration, isDurationInRange, parseDuration } from '@tallyhook/platform/duration-text';
import { once } from '@tallyhook/platform/memoize';
import { apiKeyForm, idForm, pasted } from '@tallyhook/platform/pasted-forms';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { TextIn, Texts, TextValues } from '../../texts/texts.ts';

type RuleName = TextIn<'setup.rules'>;
/** A list is joined in the language of the text. */
type RuleValue = string | number | readonly string[];

/** A rule for the values of a setting, which `/setup` and the console say in the language of the member. */
export interface Rule {
  readonly name: RuleName;
  readonly values: Readonly<Record<string, RuleValue>>;
}

type RuleValues<Name extends RuleName> =
  TextValues<`setup.rules.${Name}`> extends readonly [infer Values]
    ? [values: { readonly [Placeholder in keyof Values]: RuleValue }]
    : [];

export function rule<Name extends RuleName>(name: Name, ...[values]: RuleValues<Name>): Rule {
  return { name, values: (values ?? {}) as Rule['values'] };
}

/** The error of a schema for a value that breaks a rule. @param message for operators: completes "… is invalid: " */
export function breaks(broken: Rule, message: string) {
  return {
    error(issue: z.core.$ZodRawIssue): string {
      issue['rule'] = broken;
      return message;
    },
  };
}

/** Rule that a value breaks; null if the schema names none. */
export function ruleOf(issue: z.core.$ZodIssue & { readonly rule?: Rule }): Rule | null {
  return issue.rule ?? (issue.code === 'custom' ? ((issue.params?.['rule'] as Rule | undefined) ?? null) : null);
}

/** A rule in a language. Plain. */
export function ruleText({ name, values }: Rule, { text, list }: Texts): string {
  const shown = Object.entries(values).map(
    ([key, value]) => [key, typeof value === 'object' ? list(value) : value] as const,
  );
  // The types of `rule` say which values a text needs.
  return (text as (key: `setup.rules.${RuleName}`, values: object) => string)(
    `setup.rules.${name}`,
    Object.fromEntries(shown),
  );
}

/*
 * Schemas of single values in the file of `TALLYHOOK_CONFIG`. The message of each says what is valid; it completes
 * "… is invalid: ".
 */

const expectedId = 'it must be a Discord id: a string of digits';
const roundedNumber = `${expectedId}, in quotation marks, because a number is rounded`;
const expectedTime =
  'it must be a time in ISO 8601 with a time zone, such as 2026-12-01T00:00:00Z or 2026-12-01T00:00:00+01:00';
const expectedZone = 'it must be an IANA time zone, such as Europe/Berlin, America/New_York or UTC';

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

export const credits = wholeNumber(0, 1_000_000);

/** A duration such as `12h`, in ms. */
export const duration = z
  .string(`it must be ${expectedDuration}`)
  .regex(durationPattern, { error: `it must be ${expectedDuration}`, abort: true })
  .transform(parseDuration)
  .refine(isDurationInRange, `it must be ${expectedDuration}`);

/** An ISO 8601 time, in ms since the epoch. */
export const time = z.iso.datetime({ offset: true, error: expectedTime }).transform((text) => Date.parse(text));

export const timeZone = z.string(expectedZone).superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const zone = zoneLike(name);
  const broken = zone === undefined ? rule('timeZone') : rule('timeZoneMeant', { name: name.slice(0, 50), zone });
  context.addIssue({ code: 'custom', message: expectedZone, params: { rule: broken } });
});

/** A list of at most so many. @param what says of what there are too many: "milestones" */
export function atMost<Entry extends z.ZodType>(entry: Entry, max: number, what: string) {
  return z.array(entry).max(max, breaks(rule('atMost', { max }), `it must have at most ${max} ${what}`));
}

/** For checks of a whole list or object, whose parts have their final form only if they are valid. */
export const ifValid = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/**
 * Rejects each entry of a list that an earlier one excludes.
 * @param conflict `path` of the part of the entry that is wrong; `rule` that members read, null for what only files can have
 */
export function noConflicts<Entry>(
  excludes: (earlier: Entry, entry: Entry) => boolean,
  conflict: (entry: Entry) => {
    readonly path: readonly PropertyKey[];
    readonly message: string;
    readonly rule: Rule | null;
  },
) {
  return (entries: readonly Entry[], context: z.RefinementCtx): void => {
    for (const [index, entry] of entries.entries()) {
      if (entries.findIndex((earlier) => excludes(earlier, entry)) === index) continue;
      const { path, message, rule: broken } = conflict(entry);
      const params = broken === null ? {} : { params: { rule: broken } };
      context.addIssue({ code: 'custom', path: [index, ...path], message, ...params });
    }
  };
}

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

type Choices = readonly (readonly [value: string, label: string])[];

/** Durations by length, in the language of the member, and the present one if it is none of them. */
export function durationChoices(durations: readonly string[], present: string, { duration }: Texts): Choices {
  return [...new Set([...durations, present])]
    .map((text) => [text, parseDuration(text)] as const)
    .filter(([, length]) => isDurationInRange(length))
    .sort(([, one], [, other]) => one - other)
    .map(([text, length]) => [text, duration(length)]);
}

/** From west to east, with the languages of the catalogue that are spoken there. Discord: a select has 25 options. */
const zones: readonly (readonly [zone: string, language?: string])[] = [
  ['America/Los_Angeles', 'en'],
  ['America/Chicago', 'en'],
  ['America/New_York', 'en'],
  ['America/Mexico_City', 'es'],
  ['America/Argentina/Buenos_Aires', 'es'],
  ['America/Sao_Paulo', 'pt'],
  ['UTC'],
  ['Europe/London', 'en'],
  ['Europe/Madrid', 'es'],
  ['Europe/Paris', 'fr'],
  ['Europe/Amsterdam', 'nl'],
  ['Europe/Berlin', 'de'],
  ['Europe/Rome', 'it'],
  ['Europe/Warsaw', 'pl'],
  ['Europe/Kyiv', 'uk'],
  ['Europe/Istanbul', 'tr'],
  ['Europe/Moscow', 'ru'],
  ['Asia/Kolkata', 'hi'],
  ['Asia/Jakarta', 'id'],
  ['Asia/Ho_Chi_Minh', 'vi'],
  ['Asia/Shanghai', 'zh'],
  ['Asia/Seoul', 'ko'],
  ['Asia/Tokyo', 'ja'],
  ['Australia/Sydney', 'en'],
];

/** The zones of most communities: those in which the language of the member is spoken first, and the present one. */
export function timeZoneChoices(present: string, { locale }: Texts): Choices {
  const [language = ''] = locale.split('-');
  const near = zones.filter(([, spoken]) => spoken === language);
  const names = [...near, ...zones].map(([zone]) => zone);
  return [...new Set(present === '' ? names : [...names, present])].map((zone) => [zone, zoneLabel(zone, locale)]);
}

/** Some zones had another time long ago (ms since the epoch). */
const someDay = Date.UTC(2024, 0, 1);

/** "Berlin · Central European Time"; the name itself for one without a city, such as UTC. */
function zoneLabel(zone: string, locale: string): string {
  const city = zone.split('/').at(-1) ?? zone;
  if (city === zone) return zone;
  const format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'longGeneric' });
  const name = format.formatToParts(someDay).find(({ type }) => type === 'timeZoneName')?.value;
  return [city.replaceAll('_', ' '), name].join(' · ');
}
