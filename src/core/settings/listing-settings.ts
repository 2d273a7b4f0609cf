import { hour } from '@tallyhook/platform/durations';
import { numberOf, objectOf, textOf } from '@tallyhook/platform/json';
import { pasted, secretForm } from '@tallyhook/platform/pasted-forms';
import { escapeName, type Markup } from '@tallyhook/platform/texts/markup';
import { z } from 'zod';
import type { Texts } from '../../texts/texts.ts';
import { linkableSites } from '../../webhook/sites/index.ts';
import type { Site } from '../../webhook/sites/site.ts';
import { custom } from './custom-site.ts';
import { breaks, rule } from './rules.ts';
import { setting } from './setting-spec.ts';
import { showChannel } from './shown-values.ts';
import { linkPath } from './stored-settings.ts';
import { apiKey, channelId, id, timeZone as timeZoneName } from './value-schemas.ts';

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

/**
 * A listing that was linked in Discord: `{kind, id}`, its site unless that is the document's service, and the description
 * of a `custom` one.
 */
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

/** What else `/setup` stores of a listing, by path. */
export const linkSchemas = {
  [linkPath]: link,
  lookupKey: apiKey,
  voteSecrets: secrets,
  premiumSecrets: secrets,
  siteKey: apiKey,
  slug,
};
/** Secrets of a listing. */
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
