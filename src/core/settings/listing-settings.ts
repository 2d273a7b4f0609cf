import { hour } from '@tallyhook/platform/durations';
import { numberOf, objectOf, textOf } from '@tallyhook/platform/json';
import { pasted, secretForm } from '@tallyhook/platform/pasted-forms';
import { escapeName, type Markup } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import type { Texts } from '../../texts/texts.ts';
import type { DescribedSite } from '../../webhook/sites/described-site.ts';
import { linkableSites } from '../../webhook/sites/index.ts';
import type { Site } from '../../webhook/sites/site.ts';
import { setting, showChannel } from './setting-spec.ts';
import { linkPath } from './stored-settings.ts';
import { apiKey, breaks, channelId, id, rule, timeZone as timeZoneName } from './value-schemas.ts';

const path = z
  .string()
  .regex(
    /^[^.\s]+(\.[^.\s]+)*$/,
    breaks(rule('fieldPath'), 'it must be names of fields joined by dots, such as user.id'),
  );
const condition = z.strictObject({
  field: path.describe('Path of a field in the body.'),
  is: z.union([z.string().min(1), z.boolean()]).describe('Its value: a text, `true` or `false`.'),
});

const header = z.string().regex(/^[\w-]{1,64}$/, breaks(rule('header'), 'it must be the name of a header'));

const hmac = z
  .strictObject({
    scheme: z.literal('hmac-sha256'),
    header: header.describe('The header with the signature.'),
    prefix: z.string().min(1).max(64).optional().describe('What precedes the digest there, such as `sha256=`.'),
    encoding: z.enum(['hex', 'base64']).optional().describe('Of the digest; `hex` otherwise.'),
    signed: z
      .string()
      .max(200)
      .refine((text) => text.split('{body}').length === 2, 'it must contain {body} once')
      .refine((text) => !/\{(?!(?:body|timestamp)\})/.test(text), 'it knows {body} and {timestamp} alone')
      .optional()
      .describe('What is signed: a text with `{body}` and perhaps `{timestamp}`, such as `{timestamp}.{body}`.'),
    timestamp: z
      .strictObject({ header, unit: z.enum(['s', 'ms']) })
      .optional()
      .describe('The header with the signed time, and its `unit`, `s` or `ms` since the epoch.'),
  })
  .refine(({ signed = '', timestamp }) => timestamp !== undefined || !signed.includes('{timestamp}'), {
    path: ['timestamp'],
    error: 'signed contains {timestamp}, so state the header that has it, and its unit',
  })
  .refine(({ signed = '', timestamp }) => timestamp === undefined || signed.includes('{timestamp}'), {
    path: ['signed'],
    error: 'it must contain {timestamp}, because the time of timestamp.header is worth nothing unless it is signed',
  })
  .refine((described) => described.timestamp?.header.toLowerCase() !== described.header.toLowerCase(), {
    path: ['timestamp', 'header'],
    error: 'it must be another header than that of the signature',
  });

const signature = z
  .discriminatedUnion('scheme', [z.strictObject({ scheme: z.literal('standard-webhooks') }), hmac])
  .describe(
    'How deliveries are [signed](sites.md#what-the-site-says-and-what-to-set); without it they carry the secret.',
  );

const nameError = breaks(rule('length', { min: 1, max: 80 }), 'it must have 1 to 80 characters');

/** The value of `custom` in the file, and of the description that `/setup` stores. */
export const custom = z
  .strictObject({
    name: z.string().min(1, nameError).max(80, nameError).describe('Shown to members.'),
    page: z
      .url({ protocol: /^https$/, error: 'it must be an https address' })
      .optional()
      .describe('Address of the vote page; `{id}` and `{slug}` are replaced.'),
    header: header.optional().describe('The header whose value is the secret; `authorization` otherwise.'),
    signature: signature.optional(),
    user: path.describe("Path of the voter's Discord id in the body: `user.id`."),
    target: path.optional().describe('Path of the Discord id of the server or bot.'),
    test: condition.optional().describe('What the body of a test has: a `field`, and what it `is`.'),
    vote: condition.optional().describe('The same of a vote. Bodies with another value there are ignored.'),
    time: path.optional().describe('Path of the time of the vote, in ISO 8601.'),
    id: path.optional().describe("Path of the site's own id of the vote."),
  })
  .refine((described) => described.header === undefined || described.signature === undefined, {
    path: ['header'],
    error: 'it is for a secret in a header, and signature has a header of its own: remove one of them',
  })
  .transform(({ page = null, ...described }): DescribedSite => ({ page, ...described }))
  .describe('Description of a site that tallyhook does not know, for the site `custom`.');

export const timeZone = setting({
  path: 'timeZone',
  description: 'IANA name, for calendar days, weeks and months. Listings of one guild share it.',
  default: 'UTC',
  schema: timeZoneName,
  isShared: true,
  inEffect: (zone) => ({ timeZone: zone ?? 'UTC' }),
  inFile: (settings) => settings.timeZone,
  fields: [{ name: 'timeZone', kind: 'timeZone', hint: 'timeZone' }],
});

export const ownerChannelId = setting({
  path: 'ownerChannelId',
  description: 'Channel for reports to the owner, such as purchases to fulfil. Listings of one guild share it.',
  schema: channelId,
  isShared: true,
  canBeOff: true,
  inEffect: (channelId) => ({ ownerChannelId: channelId ?? null }),
  inFile: (settings) => settings.ownerChannelId,
  isChannel: true,
  show: showChannel,
  fields: [{ name: 'ownerChannel', kind: 'channels', hint: 'ownerChannel' }],
});

export const announceChannelId = setting({
  path: 'announceChannelId',
  description: 'Id of the channel for announcements of votes.',
  schema: channelId,
  canBeOff: true,
  variable: 'ANNOUNCE_CHANNEL_ID',
  inEffect: (channelId) => ({ announceChannelId: channelId ?? null }),
  inFile: (settings) => settings.announceChannelId,
  isChannel: true,
  show: showChannel,
  fields: [{ name: 'announceChannel', kind: 'channels' }],
});

export const premiumChannelId = setting({
  path: 'premiumChannelId',
  description: 'Id of the channel for announcements of premium.',
  schema: channelId,
  canBeOff: true,
  variable: 'PREMIUM_CHANNEL_ID',
  fallback: announceChannelId,
  inEffect: (channelId) => ({ premiumChannelId: channelId ?? null }),
  inFile: (settings) => settings.premiumChannelId,
  isChannel: true,
  show: showChannel,
  fields: [{ name: 'premiumChannel', kind: 'channels', hint: 'premiumChannel' }],
});

export const cooldownHours = setting({
  path: 'cooldownHours',
  description:
    'Hours between two rewarded votes of one user. A listing on [another site](sites.md) has the hours of its site.',
  schema: z.number().positive().max(8_760),
  variable: 'VOTE_COOLDOWN_HOURS',
  inFile: ({ rewards }) => rewards.base.cooldownMs / hour,
  show: (value, texts) => texts.duration(numberOf(value) * hour),
  fields: [
    { name: 'cooldown', kind: 'duration', unitMs: hour, choices: ['1h', '2h', '4h', '6h', '8h', '12h', '20h', '1d'] },
  ],
});

const expectedSecret = 'it must have 8 to 512 characters';
const secretRule = rule('secret', { min: 8, max: 512 });
const secretError = breaks(secretRule, expectedSecret);
const secret = pasted(secretForm, secretError, { rule: secretRule }).min(8, secretError).max(512, secretError);

/** Secrets that are valid at once. */
const maxSecrets = 5;
const secrets = z
  .array(secret)
  .max(maxSecrets, breaks(rule('atMost', { max: maxSecrets }), `it must have at most ${maxSecrets} secrets`));

/** The site with this id, if `/setup` can link it without a description. */
export function findLinkableSite(siteId: unknown): Site | null {
  return linkableSites.find((site) => site.id === siteId) ?? null;
}

/** The value of `site` of a listing with a description of its site. */
export const customSite = 'custom';

/** A linked listing: `{kind, id}`, its site unless that is the document's service, and that of a `custom` one. */
const link = z
  .strictObject({
    kind: z.enum(['server', 'bot']),
    id: id.nullable(),
    site: z.string().optional(),
    custom: custom.optional(),
  })
  .refine(
    ({ kind, site, custom: described }) =>
      described === undefined
        ? site === undefined || findLinkableSite(site)?.kinds.includes(kind)
        : site === customSite,
    'it must be a site that lists this',
  );
export type Link = z.infer<typeof link>;

const expectedSlug = 'it must be a part of an address, at most 100 characters';
const slugError = breaks(rule('slug'), expectedSlug);
const slug = z.string(slugError).regex(/^[^\s/?#]{1,100}$/, slugError);

/** Schemas of what else `/setup` stores of a listing, by path. */
export const linkSchemas = {
  [linkPath]: link,
  lookupKey: apiKey,
  voteSecrets: secrets,
  premiumSecrets: secrets,
  siteKey: apiKey,
  slug,
};
export const secretPaths = ['lookupKey', 'voteSecrets', 'premiumSecrets', 'siteKey'] as const;

/** A listing that was linked in Discord; null if the value is not one. */
export function parseLink(value: unknown): Link | null {
  return link.safeParse(value).data ?? null;
}

/** @param targetName of the server or bot; its id otherwise */
export function showLink(value: unknown, texts: Texts, targetName?: string): Markup {
  const { kind, id: targetId, site, custom: described } = objectOf(value);
  const name = textOf(kind);
  const title = texts.has('listing.kinds', name) ? texts.text(`listing.kinds.${name}`) : name;
  const target = typeof targetId === 'string' ? (targetName ?? targetId) : null;
  const siteName = findLinkableSite(site)?.name ?? textOf(objectOf(described)['name']);
  return escapeName([siteName, title, target].filter(Boolean).join(' '));
}
