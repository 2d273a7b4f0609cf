import { z } from 'zod';
import { duration } from '../src/core/settings/value-schemas.ts';
import { day, minute } from '../src/platform/durations.ts';
import { announcementModes } from '../src/texts/announcement-settings.ts';
import { locales } from '../src/texts/locale.ts';
import { webAddress } from '../src/texts/markup.ts';
import { type PlaceholderName, placeholderNames, templateIssues, titlePlaceholders } from '../src/texts/template.ts';

/** Discord: "Embed Limits" (characters). What a vote earned is added to the text, and has to fit in as well. */
const maxTitleLength = 256;
const maxTextLength = 4_096 - 600;
/** The shortest streak whose end can be announced, and the one that is meant by `true` (days). */
const minLostStreak = 2;
export const defaultLostStreak = 3;

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

const flag = z.boolean().optional();

/** `announcements` of a listing in the file. Values that are left out are undefined. */
export const announcements = z.strictObject({
  mode: z
    .enum(announcementModes, `it must be one of ${announcementModes.join(', ')}`)
    .optional()
    .describe('Whether each vote is announced (the default), a digest of all votes at intervals, or none of them.'),
  every: duration
    .refine(isInterval, expectedInterval)
    .optional()
    .describe('The interval of digests, from 5m to 30d (default: 1h). It starts with the day of the community.'),
  title: template(titlePlaceholders, maxTitleLength)
    .refine((text) => !text.includes('\n'), 'it must be one line')
    .optional()
    .describe('The headline of a vote, with placeholders.'),
  text: template(placeholderNames, maxTextLength)
    .optional()
    .describe('The text of a vote, with placeholders, in place of the usual one.'),
  colour: z
    .string(expectedColour)
    .regex(/^#[0-9A-Fa-f]{6}$/, expectedColour)
    .optional()
    .describe('The colour of the frame of votes, milestones and digests, as #RRGGBB.'),
  thumbnail: z
    .string(expectedImage)
    .refine(isImageAddress, expectedImage)
    .optional()
    .describe('The https address of a small image beside votes and digests.'),
  voteButton: flag.describe('A button that leads to the listing, under votes and digests (default: under digests).'),
  reviews: flag.describe('Announce new reviews of the listing (default: false).'),
  milestones: flag.describe('Announce the milestones of members (default: true).'),
  premium: flag.describe('Announce premium events (default: true).'),
  party: flag.describe('Show the progress of the party and its goal (default: true). Listings of one guild share it.'),
  lostStreaks: z
    .union(
      [z.boolean(), z.int(expectedStreak).min(minLostStreak, expectedStreak).max(3_650, expectedStreak)],
      expectedStreak,
    )
    .optional()
    .describe(
      `Announce the end of streaks: true for those of ${defaultLostStreak} days or more, or a number of days (default: false).`,
    ),
  language: z
    .enum(languages, `it must be one of ${languages.join(', ')}`)
    .optional()
    .describe("The language of announcements. The guild's own otherwise."),
});

export type FileAnnouncements = z.infer<typeof announcements>;

function isInterval(interval: number): boolean {
  return interval >= 5 * minute && (interval <= day || interval % day === 0) && interval <= 30 * day;
}

function isImageAddress(text: string): boolean {
  return webAddress(text)?.startsWith('https:') ?? false;
}
