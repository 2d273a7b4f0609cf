import { z } from 'zod';
import { type SettingSpec, setting } from '../../core/settings/setting-spec.ts';
import { choicesOf, showChoice, showDuration, showPlain } from '../../core/settings/shown-values.ts';
import { duration } from '../../core/settings/value-schemas.ts';
import { toDurationText } from '../../platform/duration-text.ts';
import { day, minute } from '../../platform/durations.ts';
import { textOf } from '../../platform/json.ts';
import { type AnnouncementSettings, announcementModes, plainAnnouncements } from '../../texts/announcement-settings.ts';
import { locales } from '../../texts/locale.ts';
import { escapeName, webAddress } from '../../texts/markup.ts';
import { type PlaceholderName, placeholderNames, templateIssues, titlePlaceholders } from '../../texts/template.ts';

/** Discord: "Embed Limits" (characters). What a vote earned is added to the text, and has to fit in as well. */
const maxTitleLength = 256;
const maxTextLength = 4_096 - 600;
/** The shortest streak whose end can be announced, and the one that is meant by `true` (days). */
const minLostStreak = 2;
const defaultLostStreak = 3;

const expectedInterval = 'it must be a duration from 5m to 24h, or of whole days up to 30d';
const expectedColour = 'it must be a colour such as #57F287';
const expectedImage =
  'it must be the https address of an image; the service sends no image of a listing that could be used';
const expectedStreak = `it must be true, false, or the least days of such a streak, from ${minLostStreak} to 3650`;

const languages = ['en', ...locales] as const;

function template(known: readonly PlaceholderName[], maxLength: number) {
  return z
    .string()
    .min(1, 'it must not be empty; leave it out for the usual text')
    .superRefine((text, context) => {
      for (const message of templateIssues(text, { known, maxLength })) {
        context.addIssue({ code: 'custom', message });
      }
    });
}

const mode = setting({
  path: 'announcements.mode',
  description:
    '`each`: one message per vote; `digest`: one message at intervals that summarises them; `none`: votes are not announced.',
  default: plainAnnouncements.mode,
  schema: z.enum(announcementModes, `it must be one of ${announcementModes.join(', ')}`),
  inFile: ({ announcements }) => announcements.mode,
  show: showChoice,
  form: 'style',
  fields: [{ name: 'mode', kind: 'radios', choices: choicesOf(...announcementModes) }],
});

const every = setting({
  path: 'announcements.every',
  description:
    'The interval of digests: `5m` to `24h`, or whole days up to `30d`. It starts with the day of the community.',
  default: toDurationText(plainAnnouncements.everyMs),
  schema: duration.refine(isInterval, expectedInterval),
  inFile: ({ announcements }) => toDurationText(announcements.everyMs),
  show: showDuration,
  form: 'style',
  fields: [
    {
      name: 'every',
      kind: 'duration',
      choices: ['5m', '15m', '30m', '1h', '2h', '3h', '6h', '12h', '1d', '2d', '7d', '14d', '30d'],
    },
  ],
});

const title = setting({
  path: 'announcements.title',
  description: 'Headline of a vote with [placeholders](announcements.md#placeholders); our own otherwise.',
  schema: template(titlePlaceholders, maxTitleLength).refine((text) => !text.includes('\n'), 'it must be one line'),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.title,
  fields: [{ name: 'title', kind: 'text', hint: 'title', maxLength: maxTitleLength, ifEmpty: null }],
});

const text = setting({
  path: 'announcements.text',
  description:
    'Text of a vote with placeholders, such as `{mention} voted for {listing}. +{credits}`; our own otherwise.',
  schema: template(placeholderNames, maxTextLength),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.text,
  fields: [{ name: 'text', kind: 'longText', hint: 'text', maxLength: 3_000, ifEmpty: null }],
});

const colour = setting({
  path: 'announcements.colour',
  description: '`#RRGGBB`, of the frame of votes, milestones and digests; green otherwise.',
  schema: z.string(expectedColour).regex(/^#[0-9A-Fa-f]{6}$/, expectedColour),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.colour,
  form: 'style',
  fields: [{ name: 'colour', kind: 'text', hint: 'colour', ifEmpty: null }],
});

const thumbnail = setting({
  path: 'announcements.thumbnail',
  description: "The https address of an image beside votes and digests, in place of the server's icon.",
  schema: z.string(expectedImage).refine(isImageAddress, expectedImage),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.thumbnail,
  fields: [{ name: 'thumbnail', kind: 'text', maxLength: 512, ifEmpty: null }],
});

type AnnouncementSwitch =
  | ('voteButton' | 'reviews' | 'milestones' | 'premium' | 'party')
  | ('avatar' | 'icon' | 'streak' | 'largeCredits');

/** Something that is announced or shown, or not. */
function announcementSwitch<const Name extends AnnouncementSwitch>(
  name: Name,
  description: string,
  field: 'switches' | 'show' = 'switches',
) {
  return setting({
    path: `announcements.${name}`,
    description,
    default: plainAnnouncements[name],
    schema: z.boolean(),
    inFile: ({ announcements }) => announcements[name],
    form: field === 'show' ? 'text' : 'style',
    fields: [{ name: field, kind: 'switch', choice: name }],
  });
}

const lostStreaks = setting({
  path: 'announcements.lostStreaks',
  description: `Announce streaks that ended: \`true\` for those of ${defaultLostStreak} days or more, or the least number of days, from ${minLostStreak}.`,
  default: false,
  schema: z.union(
    [z.boolean(), z.int(expectedStreak).min(minLostStreak, expectedStreak).max(3_650, expectedStreak)],
    expectedStreak,
  ),
  inFile: ({ announcements }) => announcements.lostStreaks ?? false,
  show: (value, texts) =>
    typeof value === 'number'
      ? texts.text(texts.messages.setup.values.lostStreaks, { days: texts.parts.days(value) })
      : showPlain(value, texts),
  form: 'style',
  fields: [{ name: 'lostStreaks', kind: 'number', hint: 'off', ifEmpty: false }],
});

const language = setting({
  path: 'announcements.language',
  description: "Language of the announcements, such as `de`, `pt-BR` or `ja`; the guild's otherwise.",
  schema: z.enum(languages, `it must be one of ${languages.join(', ')}`),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.language,
  show: (value, texts) => escapeName(languageName(texts.locale, textOf(value))),
  fields: [
    {
      name: 'language',
      kind: 'select',
      hint: 'language',
      ifEmpty: null,
      choices: ({ locale }) =>
        languages.filter((code) => !code.startsWith('en-')).map((code) => [code, languageName(locale, code)]),
    },
  ],
});

/** `announcements` of a listing. */
export const announcementSettings = [
  mode,
  every,
  title,
  text,
  colour,
  thumbnail,
  announcementSwitch('voteButton', 'The button "Vote too", which leads to the listing, under votes and digests.'),
  announcementSwitch('avatar', 'Show the avatar and name of the voter above a vote.', 'show'),
  announcementSwitch('icon', 'Show the icon of the server beside votes, unless there is a `thumbnail`.', 'show'),
  announcementSwitch('streak', 'Show the streak of the voter.', 'show'),
  announcementSwitch('largeCredits', 'Show the credits of a vote as a heading.', 'show'),
  announcementSwitch('reviews', 'Announce new reviews of the listing.'),
  announcementSwitch('milestones', 'Announce milestones of members, in every mode.'),
  announcementSwitch('premium', 'Announce premium events, in every mode.'),
  announcementSwitch(
    'party',
    'Show the progress of the party and its goal. Listings of one guild share it: `false` in one of them suffices.',
  ),
  lostStreaks,
  language,
] as const satisfies readonly SettingSpec[];

type AnnouncementSpec = (typeof announcementSettings)[number];
/** What a listing states: undefined if it is left out, null if it is switched off. */
export type StatedAnnouncements = {
  readonly [Each in AnnouncementSpec as Each['path'] extends `announcements.${infer Name}` ? Name : never]?:
    | z.output<Each['schema']>
    | null
    | undefined;
};

/** The announcements of a listing with their defaults. */
export function readAnnouncements(stated: StatedAnnouncements = {}): AnnouncementSettings {
  const { mode: statedMode, every: everyMs, lostStreaks: minDays, ...others } = stated;
  const set = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...plainAnnouncements,
    ...Object.fromEntries(set),
    mode: statedMode ?? plainAnnouncements.mode,
    everyMs: everyMs ?? plainAnnouncements.everyMs,
    lostStreaks: minDays === true ? defaultLostStreak : minDays || null,
  };
}

function isInterval(interval: number): boolean {
  return interval >= 5 * minute && (interval <= day || interval % day === 0) && interval <= 30 * day;
}

function isImageAddress(address: string): boolean {
  return webAddress(address)?.startsWith('https:') ?? false;
}

function languageName(locale: string, code: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
