import { isDurationInRange, parseDuration } from '@tallyhook/platform/duration-text';
import type { Texts } from '../../texts/texts.ts';

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
