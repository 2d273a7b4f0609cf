import { textOf } from '@tallyhook/platform/json';
import { locales } from '@tallyhook/platform/texts/locale';
import { escapeName, trustedMarkup, webAddress } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import { announcementSwitch } from '../../core/announcements/announcement-style.ts';
import { choicesOf, setting, showChoice } from '../../core/settings/setting-spec.ts';
import { breaks, type Rule, rule } from '../../core/settings/value-schemas.ts';
import { announcementModes } from '../../texts/announcement-settings.ts';
import {
  inBraces,
  type PlaceholderName,
  placeholderNames,
  type TemplateIssue,
  templateIssues,
  titlePlaceholders,
} from '../../texts/template.ts';

/** Discord: "Embed Limits" (characters). What a vote earned is added to the text, and has to fit in as well. */
const maxTitleLength = 256;
const maxTextLength = 4_096 - 600;
const colourError = breaks(rule('colour'), 'it must be a colour such as #57F287');
const imageError = breaks(
  rule('image'),
  'it must be the https address of an image; the service sends no image of a listing that could be used',
);
const languages = ['en', ...locales] as const;

function template(known: readonly PlaceholderName[], maxLength: number) {
  return z
    .string()
    .min(1, breaks(rule('empty'), 'it must not be empty; leave it out for the usual text'))
    .superRefine((text, context) => {
      for (const issue of templateIssues(text, { known, maxLength })) {
        context.addIssue({ code: 'custom', message: issue.message, params: { rule: ruleFor(issue) } });
      }
    });
}

function ruleFor(issue: TemplateIssue): Rule {
  switch (issue.type) {
    case 'brace':
      return rule('brace', { open: '{{', close: '}}' });
    case 'tooLong':
      return rule('tooLong', issue);
    case 'placeholders': {
      const names = issue.names.map(inBraces);
      return issue.meant.length > 0
        ? rule('placeholdersMeant', { names, meant: issue.meant.map(inBraces) })
        : rule('placeholders', { names, known: issue.known.map(inBraces) });
    }
  }
}

export const mode = setting({
  path: 'announcements.mode',
  description:
    '`each`: one message per vote; `digest`: one message at intervals that summarises them; `none`: votes are not announced.',
  default: 'each',
  schema: z.enum(announcementModes, `it must be one of ${announcementModes.join(', ')}`),
  inFile: ({ announcements }) => announcements.mode,
  show: showChoice,
  form: 'style',
  fields: [{ name: 'mode', kind: 'radios', choices: choicesOf(...announcementModes) }],
});

const title = setting({
  path: 'announcements.title',
  description: 'Headline of a vote with [placeholders](announcements.md#placeholders); our own otherwise.',
  schema: template(titlePlaceholders, maxTitleLength).refine(
    (text) => !text.includes('\n'),
    breaks(rule('oneLine'), 'it must be one line'),
  ),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.title,
  fields: [
    {
      ...{ name: 'title', kind: 'text', hint: 'title', maxLength: maxTitleLength, ifEmpty: null },
      usual: (texts) => texts.text('announcement.titles.vote'),
      inserts: titlePlaceholders.map(inBraces),
    },
  ],
});

const text = setting({
  path: 'announcements.text',
  description:
    'Text of a vote with placeholders, such as `{mention} voted for {listing}. +{credits}`; our own otherwise.',
  schema: template(placeholderNames, maxTextLength),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.text,
  fields: [
    {
      ...{ name: 'text', kind: 'longText', hint: 'text', maxLength: 3_000, ifEmpty: null },
      usual: (texts) => {
        const [user, name] = [trustedMarkup(inBraces('mention')), trustedMarkup(inBraces('listing'))];
        return texts.text('announcement.voted', { user, name });
      },
      inserts: placeholderNames.map(inBraces),
    },
  ],
});

const colour = setting({
  path: 'announcements.colour',
  description: '`#RRGGBB`, of the frame of votes, milestones and digests; green otherwise.',
  schema: z.string(colourError).regex(/^#[0-9A-Fa-f]{6}$/, colourError),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.colour,
  form: 'style',
  fields: [{ name: 'colour', kind: 'text', hint: 'colour', ifEmpty: null }],
});

const thumbnail = setting({
  path: 'announcements.thumbnail',
  description: "The https address of an image beside votes and digests, in place of the server's icon.",
  schema: z.string(imageError).refine(isImageAddress, imageError),
  canBeOff: true,
  inFile: ({ announcements }) => announcements.thumbnail,
  fields: [{ name: 'thumbnail', kind: 'text', maxLength: 512, ifEmpty: null }],
});

export const look = [
  title,
  text,
  colour,
  thumbnail,
  announcementSwitch(
    'voteButton',
    'The button "Vote too" under votes and digests, which leads to the listing, or to all where there are several.',
  ),
  announcementSwitch('avatar', 'Show the avatar and name of the voter above a vote.', true, 'show'),
  announcementSwitch('icon', 'Show the icon of the server beside votes, unless there is a `thumbnail`.', true, 'show'),
  announcementSwitch('streak', 'Show the streak of the voter.', true, 'show'),
  announcementSwitch('largeCredits', 'Show the credits of a vote as a heading.', true, 'show'),
] as const;

export const milestones = announcementSwitch('milestones', 'Announce milestones of members, in every mode.');
export const premium = announcementSwitch('premium', 'Announce premium events, in every mode.');

export const language = setting({
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
