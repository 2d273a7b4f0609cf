import { day, hour, minute } from '@tallyhook/platform/durations';
import { type Fields, isObject, readEventTime, readField, readObject } from '../fields.ts';
import { rejections } from '../rejections.ts';
import { createDescribedSite, type DescribedSite } from './described-site.ts';
import { readEventName, readFlag, readPath, readSeconds, readTimeOrNull } from './read-delivery.ts';
import { type JwsScheme, type NoScheme, signature, timedSignature, token } from './scheme.ts';
import type { KnownSite, Reading, Site } from './site.ts';

const none: NoScheme = { type: 'none' };

/** No site: stores deliveries with the names of their headers, unpaid, to show what an unknown site sends. */
const capture: Site = {
  id: 'capture',
  name: 'capture',
  kinds: ['bot', 'server'],
  schemes: [none],
  cooldownMs: day,
  retryHorizonMs: 0,
  votePage: () => null,
  setup: { secret: 'ours' },
  read: () => ({ type: 'unclear', reason: 'captured' }),
  write: ({ targetId, userId }) => ({ target: targetId, user: userId }),
};

/** topdiscordlist.com; not thediscordlist.com, which has a header of the same name. */
const topdiscordlist: Site = {
  id: 'topdiscordlist',
  name: 'Top Discord List',
  kinds: ['bot', 'server'],
  schemes: [timedSignature('x-tdl-signature')],
  cooldownMs: day,
  retryHorizonMs: 261 * minute,
  // The addresses of its pages are not known.
  votePage: () => null,
  setup: { secret: 'theirs' },
  read(json, { now }) {
    // Not `user.id`, which is the site's own; nor has `listing` a Discord ID.
    const userId = readPath(json, 'user.discordId');
    const event = readEventName(readField(json, 'event'), 'event');
    if (event === 'test' || readFlag(readPath(json, 'vote.isTest'), 'vote.isTest')) return { type: 'test', userId };
    if (event !== 'vote') return { type: 'ignored', event };
    const kind = readPath(json, 'listing.type');
    return {
      type: 'vote',
      userId,
      ...((kind === 'bot' || kind === 'server') && { kind }),
      id: readPath(json, 'vote.id'),
      at: readEventTime(readPath(json, 'vote.votedAt'), now),
    };
  },
  write: ({ kind, userId, at, id, isTest }) => ({
    event: isTest ? 'test' : 'vote',
    deliveryId: `whd_${id}`,
    sentAt: new Date(at).toISOString(),
    vote: { id: `vote_${id}`, votedAt: new Date(at).toISOString(), isTest },
    user: { id: 'user_a1b2c3', username: 'voter', discordId: userId },
    listing: { type: kind, id: `${kind}_a1b2c3`, slug: 'example', name: 'Example', voteCount: 43 },
  }),
};

/**
 * Infinity Bots, now Omniplex. Accepts the protocols `hmac-sha256` and `simple-auth`. It sends deliveries with a random
 * secret on purpose, and switches a webhook off that does not reject them with 401.
 */
const infinity: Site = {
  id: 'infinity',
  name: 'Infinity Bots',
  kinds: ['bot', 'server'],
  schemes: [signature('x-webhook-signature', { prefix: 'sha256=' }), token()],
  ownHeaders: ['x-webhook-protocol'],
  // Its default is a third protocol, which encrypts the body.
  errors: { malformed: 'The delivery is not signed with hmac-sha256. Choose this protocol at Infinity Bots.' },
  cooldownMs: 12 * hour,
  // It never retries, but sends what was pending when it starts again.
  retryHorizonMs: 0,
  votePage: ({ kind, id }) => id && `https://omniplex.gg/${kind}/${id}/vote`,
  setup: { secret: 'ours', choice: 'hmac-sha256' },
  read(json, { now }) {
    const metadata = readObject(json, 'metadata');
    const userId = readPath(json, 'creator.id');
    if (readFlag(readField(metadata, 'test'), 'metadata.test')) return { type: 'test', userId };
    const event = readEventName(readField(json, 'type'), 'type');
    if (event !== 'NEW_VOTE') return { type: 'ignored', event };
    if (readFlag(readPath(json, 'data.downvote'), 'data.downvote')) return { type: 'ignored', event: 'NEW_VOTE down' };
    const targets = readObject(json, 'targets');
    if (readField(targets, 'team') !== undefined) return { type: 'ignored', event: 'NEW_VOTE of a team' };
    const kind = readField(targets, 'server') === undefined ? 'bot' : 'server';
    const target = readObject(targets, kind);
    return {
      type: 'vote',
      userId,
      ...(readField(targets, kind) !== undefined && { kind }),
      target: readField(target, `${kind}_id`) ?? readField(target, 'id'),
      at: readSeconds(readField(metadata, 'created_at'), 'metadata.created_at', now),
      weight: readPath(json, 'data.per_user'),
    };
  },
  write: ({ kind, targetId, userId, at, isTest }) => ({
    creator: { id: userId, username: 'voter' },
    type: 'NEW_VOTE',
    data: { votes: 1, per_user: 1, downvote: false },
    targets: { [kind]: { [`${kind}_id`]: targetId } },
    metadata: { created_at: Math.floor(at / 1_000), test: isTest },
  }),
};

/** Once botsfordiscord.com. Deliveries of the older form also list everyone who has voted in the month. */
const discords: Site = {
  id: 'discords',
  name: 'discords.com',
  kinds: ['bot'],
  // Some 40,000 voters.
  maxBodyBytes: 1024 * 1024,
  schemes: [token()],
  cooldownMs: 12 * hour,
  // Its retries are not documented.
  retryHorizonMs: 30 * minute,
  votePage: ({ id }) => id && `https://discords.com/bots/bot/${id}/vote`,
  setup: { secret: 'ours' },
  // The other voters would be in the delivery of each, and could not be forgotten.
  condense(json) {
    const votes = readField(json, 'votes');
    if (!isObject(votes)) return json;
    const numbers = Object.entries(votes).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]);
    return { ...json, votes: Object.fromEntries(numbers) };
  },
  read(json) {
    const userId = readField(json, 'user');
    const event = readEventName(readField(json, 'type'), 'type');
    if (event === 'test') return { type: 'test', userId };
    if (event !== 'vote' && event !== 'premium_vote') return { type: 'ignored', event };
    return { type: 'vote', userId, target: readField(json, 'bot') };
  },
  write: ({ targetId, userId, isTest }) => ({
    user: userId,
    bot: targetId,
    query: {},
    engine: 'IridiumNode-v16.18.1',
    type: isTest ? 'test' : 'vote',
  }),
};

const jws: JwsScheme = { type: 'jws' };

/**
 * discordlist.gg, whose deliveries are verified and stored, but not paid: no source says for certain what their fields
 * are called.
 */
const discordlistgg: Site = {
  id: 'discordlistgg',
  name: 'discordlist.gg',
  kinds: ['bot'],
  schemes: [jws],
  cooldownMs: 12 * hour,
  retryHorizonMs: 30 * minute,
  votePage: ({ id }) => id && `https://discordlist.gg/bot/${id}/vote`,
  setup: { secret: 'theirs' },
  read: () => ({ type: 'unclear', reason: 'the fields of discordlist.gg are not known yet' }),
  write: ({ targetId, userId, at, isTest }) => ({
    userId,
    botId: targetId,
    timestamp: new Date(at).toISOString(),
    isTest,
  }),
};

/**
 * discordbotlist.com, whose deliveries name no bot, no time, and are never tests. The older header `X-DBL-Signature` is
 * not accepted.
 */
const discordbotlist: Site = {
  id: 'discordbotlist',
  name: 'discordbotlist.com',
  kinds: ['bot'],
  schemes: [token()],
  ownHeaders: ['x-dbl-signature'],
  cooldownMs: 12 * hour,
  // Its retries are not documented.
  retryHorizonMs: 30 * minute,
  votePage: ({ slug }) => slug && `https://discordbotlist.com/bots/${encodeURIComponent(slug)}/upvote`,
  setup: { secret: 'ours' },
  read: (json) => ({ type: 'vote', userId: readField(json, 'id') }),
  write: ({ userId }) => ({ avatar: null, username: 'voter', id: userId }),
};

/*
 * A site whose deliveries carry a token is a row. The cooldown is 12 hours, and the last retry after 30 minutes, where the
 * site does not document another.
 */

const described = {
  // Waits 2 s for the response, and then sends the delivery never again. Sends no header without a token.
  discordplace: {
    name: 'discord.place',
    page: 'https://discord.place/{kind}s/{id}',
    user: 'user',
    target: { server: 'guild', bot: 'bot' },
    test: { field: 'test', is: true },
    cooldownMs: day,
    retryHorizonMs: minute,
  },
  voidbots: {
    name: 'Void Bots',
    page: 'https://voidbots.net/bot/{id}/vote',
    kinds: ['bot'],
    user: 'user',
    target: { bot: 'bot' },
    test: { field: 'type', is: 'test' },
    vote: { field: 'type', is: 'vote' },
  },
  botlistme: {
    name: 'botlist.me',
    page: 'https://botlist.me/bots/{id}/vote',
    kinds: ['bot'],
    user: 'user',
    target: { bot: 'bot' },
    test: { field: 'type', is: 'Test' },
    vote: { field: 'type', is: 'Upvote' },
  },
  disurl: {
    name: 'Disurl',
    page: 'https://disurl.me/server/{id}/vote',
    kinds: ['server'],
    // Not the scheme of HTTP: the secret follows as it is.
    prefix: 'Basic ',
    user: 'userId',
    target: { server: 'guildId' },
    test: { field: 'type', is: 'testVote' },
    vote: { field: 'type', is: 'vote' },
  },
  guildsme: {
    name: 'Guilds.me',
    page: null,
    kinds: ['server'],
    user: 'user.id',
    isDiscordUser: 'user.discord',
    target: { server: 'guildId' },
    vote: { field: 'event', is: 'vote' },
    double: 'double',
    retryHorizonMs: 40 * minute,
  },
  discollab: {
    name: 'Discollab',
    page: null,
    prefix: 'Bearer ',
    user: 'user_id',
    olderUser: 'id',
    target: { server: 'guild_id', bot: 'client_id' },
    test: { field: 'is_test', is: true },
    time: 'voted_on_iso',
    voteAgain: 'vote_again',
  },
  botradar: {
    name: 'BotRadar',
    page: null,
    kinds: ['bot'],
    user: 'user',
    target: { bot: 'bot' },
    test: { field: 'type', is: 'test' },
    vote: { field: 'type', is: 'upvote' },
    time: 'votedAt',
    double: 'isWeekend',
  },
  discordforge: { name: 'DiscordForge', page: null, kinds: ['bot'], user: 'id', test: { field: 'isTest', is: true } },
  diffcord: {
    name: 'Diffcord',
    page: null,
    kinds: ['bot'],
    user: 'user_id',
    target: { bot: 'bot_id' },
    test: { field: 'test', is: true },
    id: 'vote_id',
  },
} as const satisfies Partial<Record<KnownSite, DescribedSite>>;

type Described = keyof typeof described;

const describedSites = Object.fromEntries(
  (Object.entries(described) as [Described, DescribedSite][]).map(([id, site]) => [id, createDescribedSite(id, site)]),
) as Readonly<Record<Described, Site>>;

const { discordplace, disurl, ...otherDescribed } = describedSites;

/**
 * The service of the document, which is the default. The receiver reads its deliveries with `payload.ts`, which accepts
 * more than this: premium events, nested forms, several listings with one secret.
 */
export const service: Site = {
  id: 'service',
  name: 'the listing service',
  kinds: ['server', 'bot'],
  // The document describes the signature as one of the JSON-serialised payload (section 5.7).
  schemes: [signature('x-webhook-signature', { encoding: 'lowercase hex', mayCoverJson: true })],
  errors: {
    malformed: rejections.webhook_signature_malformed.message,
    mismatch: rejections.webhook_signature_mismatch.message,
  },
  cooldownMs: 12 * hour,
  retryHorizonMs: 5 * minute,
  votePage: () => null,
  setup: { secret: 'ours' },
  read(json, { now }) {
    const userId = readField(json, 'userId');
    if (readField(json, 'test') === true) return { type: 'test', userId };
    const target = readField(json, 'serverId') ?? readField(json, 'botId');
    return { type: 'vote', userId, target, at: readEventTime(readField(json, 'timestamp'), now) };
  },
  write: ({ kind, targetId, userId, at, isTest }) => ({
    event: `${kind}_vote`,
    [`${kind}Id`]: targetId,
    userId,
    timestamp: new Date(at).toISOString(),
    ...(isTest && { test: true }),
  }),
};

export const topggSignature = timedSignature('x-topgg-signature');

/** Webhooks that were created since 2026 are of version 1 and signed; those of version 0 carry a token. */
export const topgg: Site = {
  id: 'topgg',
  name: 'top.gg',
  kinds: ['bot', 'server'],
  schemes: [topggSignature, token()],
  cooldownMs: 12 * hour,
  // Version 0 tries ten times, 2^N seconds apart.
  retryHorizonMs: 35 * minute,
  votePage: ({ kind, id }) => id && `https://top.gg/${kind === 'bot' ? 'bot' : 'servers'}/${id}/vote`,
  setup: { secret: 'theirs', secretPrefix: 'whs_', event: 'vote.create' },
  read: (json, { now, scheme }) =>
    (scheme?.type ?? formOf(json)) === 'signature' ? readVersion1(json, now) : readVersion0(json),
  write({ kind, targetId, userId, at, id, isTest }) {
    const user = { id: '140862798832861184', platform_id: userId, name: 'voter', avatar_url: null };
    const project = { id: '803190510032756736', type: kind, platform: 'discord', platform_id: targetId };
    if (isTest) return { type: 'webhook.test', data: { user, project } };
    const times = { created_at: writeTime(at), expires_at: writeTime(at + 12 * hour) };
    return { type: 'vote.create', data: { id, weight: 1, ...times, project, user } };
  },
  olderForms: [
    ['bot', 'user', 'type', 'isWeekend'],
    ['guild', 'user', 'type'],
  ],
};

/** A time with seven digits of the second. */
const writeTime = (at: number) => new Date(at).toISOString().replace('Z', '0000+00:00');

/** The log does not say by which scheme a delivery came. */
const formOf = (json: Fields) => (readField(json, 'data') === undefined ? 'token' : 'signature');

function readVersion1(json: Fields, now: number): Reading {
  const event = readEventName(readField(json, 'type'), 'type');
  // Not `user.id`, which is top.gg's own.
  const data = readObject(json, 'data');
  const userId = readField(readObject(data, 'user'), 'platform_id');
  if (event === 'webhook.test') return { type: 'test', userId };
  if (event !== 'vote.create') return { type: 'ignored', event };
  const project = readObject(data, 'project');
  const kind = readField(project, 'type');
  if (readField(project, 'platform') !== 'discord' || (kind !== 'bot' && kind !== 'server'))
    return { type: 'unclear', reason: 'the vote is not for a bot or server on Discord' };
  return {
    type: 'vote',
    userId,
    kind,
    target: readField(project, 'platform_id'),
    id: readField(data, 'id'),
    at: readEventTime(readField(data, 'created_at'), now),
    nextVoteAt: readTimeOrNull(readField(data, 'expires_at')),
    weight: readField(data, 'weight'),
  };
}

function readVersion0(json: Fields): Reading {
  if (formOf(json) === 'signature') return { type: 'unclear', reason: 'a delivery of version 1 without its signature' };
  const userId = readField(json, 'user');
  const event = readEventName(readField(json, 'type'), 'type');
  if (event === 'test') return { type: 'test', userId };
  if (event !== 'upvote') return { type: 'ignored', event };
  const guild = readField(json, 'guild');
  const weight = readFlag(readField(json, 'isWeekend'), 'isWeekend') ? 2 : 1;
  return {
    type: 'vote',
    userId,
    ...(guild !== undefined && { kind: 'server' }),
    target: guild ?? readField(json, 'bot'),
    weight,
  };
}

/** Sites whose votes are paid, the most used first, as lists show them: an owner can link them without a description. */
export const linkableSites: readonly Site[] = [
  topgg,
  discordbotlist,
  discordplace,
  disurl,
  infinity,
  discords,
  topdiscordlist,
  ...Object.values(otherDescribed),
];

/** Every site that a configuration can name. The first one is the default, whose deliveries have a way of their own. */
export const sites: readonly Site[] = [service, ...linkableSites, discordlistgg, capture];

/** The part of a listing's configuration that says on which other site it is. Plain data. */
export interface SiteSettings {
  /** The ID of one of {@link sites}, or `custom`. */
  readonly id: string;
  /** The site's API token; null if none is configured. Secret. */
  readonly key: string | null;
  /** The name of the listing at the site; null if it is not configured. */
  readonly slug: string | null;
  /** True if the site is asked before a vote is paid. */
  readonly confirm: boolean;
  /** The description of a `custom` site. */
  readonly custom?: DescribedSite | undefined;
}

const byId = new Map<string, Site>(sites.map((site) => [site.id, site]));
const describedByOwner = new WeakMap<DescribedSite, Site>();

/** Sites that a listing can be on: the values of `site` in the configuration. */
export const siteIds: readonly string[] = [...byId.keys(), 'custom'];

/** The site of a listing. A configuration with another `id` is invalid. */
export function findSite({ id, custom }: Pick<SiteSettings, 'id' | 'custom'>): Site {
  const site =
    custom === undefined ? byId.get(id) : (describedByOwner.get(custom) ?? createDescribedSite('custom', custom));
  if (site === undefined) throw new Error(`There is no site ${id}.`);
  if (custom !== undefined) describedByOwner.set(custom, site);
  return site;
}
