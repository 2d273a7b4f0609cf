import { hour, minute, second } from '@tallyhook/platform/durations';
import { type Fields, readEventTime } from '../fields.ts';
import { readEventName, readFlag, readPath } from './read-delivery.ts';
import { type Scheme, signature, standardWebhooks, token } from './scheme.ts';
import type { KnownSite, PageOfListing, Reading, Site, WrittenVote } from './site.ts';

/**
 * A site whose deliveries carry the secret in a header, or are signed with it. Paths are names joined by dots: `user.id`.
 * The description of a site in the configuration (`custom`) has the same form.
 */
export interface DescribedSite {
  readonly name: string;
  /** Address of its vote page, with `{id}` or `{slug}`, and perhaps `{kind}`; null if it is not known. */
  readonly page: string | null;
  /** The header that carries the secret; by default `authorization`. */
  readonly header?: string | undefined;
  /** Text that the site writes before the secret. */
  readonly prefix?: string | undefined;
  /** How deliveries are signed; without it they carry the secret. */
  readonly signature?: DescribedSignature | undefined;
  /** Path of the voter's Discord ID. */
  readonly user: string;
  /** Path of the voter's Discord ID in deliveries of an older form, which have nothing at `user`. */
  readonly olderUser?: string | undefined;
  /** Path of the Discord ID of the bot or server, or both; without it the address of the webhook decides. */
  readonly target?: string | Partial<Readonly<Record<'bot' | 'server', string>>> | undefined;
  /** Field of a test: a text, or true. */
  readonly test?: Condition | undefined;
  /** Field of a vote; a delivery with another text there is no vote. */
  readonly vote?: Condition | undefined;
  /** Path of the time of the vote, in ISO 8601. */
  readonly time?: string | undefined;
  /** Path of the seconds until the member may vote again, or of that time in seconds since the epoch. */
  readonly voteAgain?: string | undefined;
  /** Path of the site's own ID of the vote. */
  readonly id?: string | undefined;
  /** Path of a flag of votes that count twice. */
  readonly double?: string | undefined;
  /** Path of a flag without which `user` is not the ID of a Discord user. */
  readonly isDiscordUser?: string | undefined;
  readonly kinds?: Site['kinds'] | undefined;
  readonly cooldownMs?: number | undefined;
  readonly retryHorizonMs?: number | undefined;
}

/** `standard-webhooks`: https://www.standardwebhooks.com */
export type DescribedSignature = { readonly scheme: 'standard-webhooks' } | DescribedHmac;

/** A signature by HMAC-SHA256, keyed with the complete secret. */
export interface DescribedHmac {
  readonly scheme: 'hmac-sha256';
  /** The name of the header with the digest. */
  readonly header: string;
  /** Text that the site writes before the digest, such as `sha256=`. */
  readonly prefix?: string | undefined;
  /** By default hex digits. */
  readonly encoding?: 'hex' | 'base64' | undefined;
  /** The signed text, with `{body}` and perhaps `{timestamp}`; by default `{body}`. */
  readonly signed?: string | undefined;
  /** Where the signed time is, in seconds or ms since the epoch. */
  readonly timestamp?: { readonly header: string; readonly unit: 's' | 'ms' } | undefined;
}

export interface Condition {
  readonly field: string;
  readonly is: string | boolean;
}

/** The site that a description describes. */
export function createDescribedSite(id: KnownSite, described: DescribedSite): Site {
  const { name, page, kinds = ['bot', 'server'] } = described;
  const { cooldownMs = 12 * hour, retryHorizonMs = 30 * minute } = described;
  return {
    id,
    name,
    kinds,
    schemes: [schemeOf(described)],
    cooldownMs,
    retryHorizonMs,
    votePage: (listing) => page && fillIn(page, listing),
    setup: { secret: described.signature === undefined ? 'ours' : 'theirs' },
    read: (json, { now }) => read(described, json, now),
    write: (vote) => write(described, vote),
  };
}

function schemeOf({ header = 'authorization', prefix, signature: described }: DescribedSite): Scheme {
  if (described === undefined) return token(header.toLowerCase(), prefix);
  if (described.scheme === 'standard-webhooks') return standardWebhooks;
  const { timestamp, ...hmac } = described;
  return signature(described.header.toLowerCase(), {
    ...{ prefix: hmac.prefix ?? '', encoding: hmac.encoding ?? 'hex', signed: hmac.signed ?? '{body}' },
    timestamp: timestamp === undefined ? null : { ...timestamp, header: timestamp.header.toLowerCase() },
  });
}

/** Null if the listing has no value for what the address needs. */
function fillIn(page: string, listing: PageOfListing): string | null {
  const { id, slug } = listing;
  if ((page.includes('{id}') && id === null) || (page.includes('{slug}') && slug === null)) return null;
  return page.replaceAll(/\{(kind|id|slug)\}/g, (_, name: keyof PageOfListing) =>
    encodeURIComponent(listing[name] ?? ''),
  );
}

function read(described: DescribedSite, json: Fields, now: number): Reading {
  const { test, vote, time, voteAgain, id, double, isDiscordUser } = described;
  const valueAt = (path: string | undefined) => (path === undefined ? undefined : readPath(json, path));
  const userId = valueAt(described.user) ?? valueAt(described.olderUser);
  // Votes need not have the field: some sites mark nothing but tests.
  const isTest = test !== undefined && (test.is === false || valueAt(test.field) !== undefined) && isMet(test, json);
  if (isTest) return { type: 'test', userId };
  if (vote !== undefined && !isMet(vote, json)) {
    return { type: 'ignored', event: readEventName(valueAt(vote.field), vote.field) };
  }
  if (isDiscordUser !== undefined) {
    const isKnown = valueAt(isDiscordUser);
    if (isKnown === false) return { type: 'ignored', event: 'vote of a user without Discord' };
    if (isKnown !== true) return { type: 'unclear', reason: `${isDiscordUser} is not a boolean` };
  }
  const at = readEventTime(valueAt(time), now);
  return {
    type: 'vote',
    userId,
    ...targetIn(described, json),
    at,
    id: valueAt(id),
    weight: readFlag(valueAt(double), double ?? '') ? 2 : 1,
    nextVoteAt: nextVoteIn(valueAt(voteAgain), at ?? now),
  };
}

/** Seconds since the epoch have ten digits since 2001. */
function nextVoteIn(seconds: unknown, at: number): number | null {
  if (typeof seconds !== 'number') return null;
  return seconds < 1_000_000_000 ? at + seconds * second : seconds * second;
}

/** @throws InvalidFieldError if it is unclear, because a test must not pay */
function isMet({ field, is }: Condition, json: Fields): boolean {
  const value = readPath(json, field);
  if (typeof is === 'boolean') return readFlag(value, field) === is;
  // Sites differ in the case of `test` and `Test`, also from their own documents.
  return readEventName(value, field).toLowerCase() === is.toLowerCase();
}

function targetIn({ target }: DescribedSite, json: Fields): Pick<Reading & { type: 'vote' }, 'target' | 'kind'> {
  if (target === undefined) return {};
  if (typeof target === 'string') return { target: readPath(json, target) };
  for (const kind of ['bot', 'server'] as const) {
    const path = target[kind];
    const id = path === undefined ? undefined : readPath(json, path);
    if (id !== undefined) return { kind, target: id };
  }
  return {};
}

/** The body of a vote that `read` reads as this one. */
function write(described: DescribedSite, { kind, targetId, userId, at, id, isTest }: WrittenVote): object {
  const { target, test, vote, isDiscordUser } = described;
  const condition = isTest ? (test ?? vote) : vote;
  const flag = !isTest && typeof test?.is === 'boolean' ? test : undefined;
  const values: readonly (readonly [string | undefined, unknown])[] = [
    [described.user, userId],
    [typeof target === 'string' ? target : target?.[kind], targetId],
    [condition?.field, condition?.is],
    [flag?.field, flag?.is === false],
    [described.time, new Date(at).toISOString()],
    [described.id, id],
    [isDiscordUser, true],
  ];
  const body: Record<string, unknown> = {};
  for (const [path, value] of values) if (path !== undefined) setPath(body, path.split('.'), value);
  return body;
}

function setPath(object: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  const inner = object[name];
  const next: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  setPath(next, rest, value);
  object[name] = next;
}
