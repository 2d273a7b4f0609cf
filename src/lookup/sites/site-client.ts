import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { objectOf, parseJson } from '@tallyhook/platform/json';
import type { Log } from '@tallyhook/platform/log';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import type { Keyv } from 'keyv';
import { type Budget, type BudgetStore, createBudget, fingerprint } from '../budget.ts';
import {
  type CacheEntry,
  fiveMinutes,
  type LedgerVote,
  type ReadThrough,
  voteStatusAt,
  withLedger,
  withSecondsLeft,
} from '../cache.ts';
import {
  createQuote,
  fetchText,
  type Http,
  type Quote,
  requireSendableKey,
  retryTime,
  type TextResponse,
} from '../http.ts';
import type {
  BotProfile,
  CachedValue,
  CachedVoteStatus,
  KeyStatus,
  ListingKind,
  LookupClient,
  ObserveAge,
  ObserveLookup,
  ProfileByKind,
  ServerProfile,
} from '../lookup.ts';
import { LookupError } from '../lookup-error.ts';
import { createSource } from '../request.ts';
import {
  type BotCounts,
  findServerCountApi,
  findSiteApi,
  type HistoryPage,
  missingFor,
  noProfile,
  noVote,
  type SiteApi,
  type SiteHistory,
  type SiteListing,
  type SiteProfile,
  type SiteVote,
  siteProfileSchema,
  type VotesAtSite,
  votesAtSiteSchema,
} from './site-apis.ts';

/** The statement of a site about a member. Times are ms since the epoch, null if it does not say. */
export interface VoteAtSite {
  /** True if the member has a vote that still counts. */
  readonly voted: boolean;
  readonly at: number | null;
  readonly nextVoteAt: number | null;
  /** How many votes it counts as on the site; 1 if the site does not say. */
  readonly weight: number;
  /** When the member has voted, as far as the site tells: `at`, and of other votes, which need not count any more. */
  readonly times: readonly number[];
  /** The time before which nothing is known of votes: the site may not look at them any more. */
  readonly since: number;
  /** True if such votes do not count any more, so that a member who has not voted since may vote. */
  readonly isComplete: boolean;
  /** When the site was asked. */
  readonly asOf: number;
}

/** How a history is read. By default as fast as the limit of the site allows, and not without end. */
export interface HistoryOptions {
  /** Half of the requests that the site allows are left to others, so it may take long: it is read to its end. */
  readonly leavesHalf?: boolean;
  readonly signal?: AbortSignal;
}

export interface SiteClientOptions {
  readonly cache: Keyv;
  readonly budget: BudgetStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Request timeout (ms). All clients that share a budget must use at most this timeout. */
  readonly timeoutMs: number;
  /** Replaces the origin of every request. */
  readonly apiUrl: string | null;
  readonly observe: ObserveLookup;
}

/** "Has not voted" is valid until the member votes (ms). */
const freshForMs = minute;

/**
 * A key with too many requests is not used for this time, if neither the site nor its documents say how long (ms): the
 * budget keeps to the limit, so others have used the key, and votes wait to be confirmed.
 */
const usualBlockMs = 10 * second;

/** Older votes cannot be requested: a year, minus the difference of the clocks (ms). */
const maxHistoryMs = 365 * day - hour;

/** History that repeats itself ends here (pages). */
const maxPages = 2_000;

/** In the cache, what is for all members. */
const everyone = 'everyone';

/**
 * Creates the client of a listing; null if its site has no API that says who has voted, or if the listing lacks the key
 * or ID for it.
 * @throws TallyhookError `lookup_key_malformed`
 */
export function createSiteClient(listing: SiteListing, options: SiteClientOptions): SiteClient | null {
  const { site, key } = listing;
  const api = findSiteApi(site, key);
  if (api === null || missingFor(listing) !== null) return null;
  if (key !== null && api.authorization !== null) requireSendableKey(key);
  return new SiteClient(listing, api, options);
}

/** The API of the site for one listing. */
export class SiteClient {
  /** Reads the profile of the listing; null if the site has none. Rejects with a LookupError. */
  readonly profile: (() => ReturnType<ReadThrough<SiteProfile>['read']>) | null;
  /** The past votes since a time (ms since the epoch). Throws LookupError. Null if the site has no history. */
  readonly history: ((since: number, options?: HistoryOptions) => AsyncIterable<SiteVote>) | null;
  readonly #listing: SiteListing;
  readonly #options: SiteClientOptions;
  /** Requests that the site allows in a time. */
  readonly #limit: SiteApi['limit'];
  /** True if one request states the votes of all members. */
  readonly #isForAll: boolean;
  readonly #budget: Budget;
  readonly #source: ReturnType<typeof createSource<SiteRequest, SiteResponse>>;
  readonly #votes: ReadThrough<VotesAtSite>;
  readonly #profiles: ReadThrough<SiteProfile> | undefined;

  constructor(listing: SiteListing, api: SiteApi, options: SiteClientOptions) {
    const { site, kind, id, key } = listing;
    const { cache, clock, log, timeoutMs, observe, apiUrl } = options;
    const { profile, history } = api;
    this.#listing = listing;
    this.#options = options;
    this.#limit = api.limit;
    this.#isForAll = !api.check.includes('{user}');
    this.#budget = createSiteBudget(fingerprint(`${site} ${api.authorization === null ? '' : key}`), api, options);
    this.#source = createSource({
      ...{ http: createSiteHttp(api, { key, apiUrl, clock }), sender: site, budget: this.#budget },
      ...{ clock, timeoutMs, log, observe, keyv: cache },
      keyPrefix: fingerprint(`${site} ${kind} ${id} ${key}`),
    });
    this.#votes = this.#source.cacheOf<VotesAtSite>({
      resource: 'votes',
      request: (member) => this.#requestOf(api.check, member),
      parse: (response, now, userId) =>
        response === undefined
          ? votesAtSiteSchema.safeParse({ votes: [], since: now - (api.notFoundCoversMs ?? 0), isComplete: true })
          : api.response({ userId, now }).safeParse(response),
      schema: votesAtSiteSchema,
      freshUntil: ({ asOf }) => asOf + freshForMs,
    });
    const profiles =
      profile &&
      this.#source.cacheOf<SiteProfile>({
        resource: 'profile',
        request: () => this.#requestOf(profile.url),
        parse: (response) =>
          response === undefined ? siteProfileSchema.safeParse(noProfile) : profile.response.safeParse(response),
        schema: siteProfileSchema,
        freshUntil: fiveMinutes,
      });
    this.#profiles = profiles;
    this.profile = profiles ? () => profiles.read(everyone) : null;
    this.history = history ? (since, reading) => this.#readHistory(history, since, reading) : null;
  }

  /** The last known profile, however old, without a request; null if there is none. Never rejects. */
  async knownProfile(): Promise<SiteProfile | null> {
    return (await this.#profiles?.lastKnown(everyone))?.value ?? null;
  }

  /** The last statement of the site, however old, without a request; null if there is none. Never rejects. */
  async known(userId: string): Promise<VoteAtSite | null> {
    const entry = await this.#votes.lastKnown(this.#memberOf(userId));
    return entry && voteOf(userId, entry);
  }

  /**
   * Checks whether the member has voted.
   * @param options.notBefore accepts only what the site is asked at this time or later (ms since the epoch), as after a
   * delivery. By default, "has not voted" may be a minute old, and a vote is certain until the next one is possible
   * @throws LookupError when the site does not say: that is never "has not voted"
   */
  async check(userId: string, { notBefore }: { readonly notBefore?: number } = {}): Promise<VoteAtSite> {
    if (!isSnowflake(userId)) throw new LookupError('lookup_bad_parameter', 'A user id must have 1 to 20 digits.');
    const { clock, observe } = this.#options;
    const last = await this.known(userId);
    const isRecent = last !== null && (notBefore === undefined || last.asOf >= notBefore);
    if (isRecent && last.voted && last.nextVoteAt !== null && clock.now() < last.nextVoteAt) {
      observe({ event: 'hit', resource: 'votes' });
      return last;
    }
    return voteOf(userId, await this.#votes.read(this.#memberOf(userId), { notBefore, servesStale: false }));
  }

  /** Sends no request and never rejects. */
  async keyStatus(): Promise<KeyStatus> {
    return { ...(await this.#source.keyStatus()), budgetLimit: this.#limit.requests };
  }

  #memberOf(userId: string): string {
    return this.#isForAll ? everyone : userId;
  }

  #requestOf(template: string, user = ''): SiteRequest {
    const { kind, id } = this.#listing;
    return requestOf(template, { kind, id: id ?? '', user });
  }

  async *#readHistory(
    { first, page }: SiteHistory,
    since: number,
    { leavesHalf = false, signal }: HistoryOptions = {},
  ): AsyncGenerator<SiteVote> {
    const endpointOfPages = {
      resource: 'votes',
      request: (url: string) => this.#requestOf(url),
      parse: (response: SiteResponse) => page.safeParse(response),
    } as const;
    let url: string | null = first(Math.max(since, this.#options.clock.now() - maxHistoryMs));
    for (let count = 0; url !== null && (leavesHalf || count < maxPages); count += 1) {
      if (leavesHalf) await this.#untilHalfIsLeft(signal);
      const { value }: CacheEntry<HistoryPage> = await this.#source.sendRequest(endpointOfPages, url, signal);
      for (const vote of value.votes) if (vote.at >= since) yield vote;
      url = value.next;
    }
  }

  async #untilHalfIsLeft(signal?: AbortSignal): Promise<void> {
    while ((await this.#budget.remaining()) * 2 <= this.#limit.requests) {
      await this.#options.clock.sleep(second, signal);
      signal?.throwIfAborted();
    }
  }
}

function voteOf(userId: string, { value, asOf }: CacheEntry<VotesAtSite>): VoteAtSite {
  const { otherTimes, ...vote } = value.votes.find((each) => each.userId === userId) ?? noVote;
  const { voted, at, nextVoteAt, weight } = vote;
  const times = voted && at !== null ? [at, ...otherTimes] : otherTimes;
  return { voted, at, nextVoteAt, weight, times, since: value.since, isComplete: value.isComplete, asOf };
}

function requestOf(template: string, values: { readonly kind: string; readonly id: string; readonly user: string }) {
  const url = template.replaceAll(/\{(kind|id|user)\}/g, (_, name: keyof typeof values) =>
    encodeURIComponent(values[name]),
  );
  return { url, name: `GET ${template.replace('https://', '').replace(/\?.*/, '')}` };
}

interface SiteRequest {
  readonly url: string;
  /** In messages and spans, without IDs and query: `GET api.voidbots.net/bot/voted/{id}/{user}`. */
  readonly name: string;
}

type SiteHttp = Http<SiteRequest, SiteResponse>;

/** JSON; undefined for the status 404 of an API by which it is a response. */
type SiteResponse = unknown;

/** @param options.apiUrl replaces the origin of every request; path and query stay */
function createSiteHttp(
  api: SiteApi,
  options: { readonly key: string | null; readonly apiUrl: string | null; readonly clock: Clock },
): SiteHttp {
  const { key, apiUrl, clock } = options;
  const isPublic = key === null || api.authorization === null;
  const headers: Record<string, string> = isPublic ? {} : { Authorization: `${api.authorization}${key}` };
  const quote = createQuote(key);

  return {
    async get({ url, name }, deadline, signal) {
      const response = await fetchText({ url: addressOf(url, apiUrl), headers, name, deadline, signal, clock });
      const json = parseJson(response.body);
      // A page comes from a server in front of the site.
      const isFromSite = json !== undefined || response.body === '';
      if (api.notFoundCoversMs !== undefined && response.status === 404 && isFromSite) return undefined;
      if (!response.ok) throw errorOfSite(name, response, json, quote, { api, now: clock.now() });
      if (json !== undefined) return json;
      throw new LookupError('lookup_not_json', `${name}: the response is not JSON: ${quote(response.body)}`, {
        hint: 'Check that no proxy responds in place of the site.',
      });
    },
  };
}

/** @param apiUrl replaces the origin, unless it is null; path and query stay */
function addressOf(url: string, apiUrl: string | null): string {
  const { pathname, search } = new URL(url);
  return apiUrl === null ? url : new URL(pathname + search, apiUrl).href;
}

const codes: Readonly<Record<number, LookupErrorCode>> = {
  400: 'lookup_bad_request',
  401: 'lookup_key_refused',
  403: 'lookup_key_refused',
  404: 'lookup_not_found',
  429: 'lookup_rate_limited',
};

const hints: Partial<Record<LookupErrorCode, string>> = {
  lookup_bad_request:
    'The API of the site may have changed. Look for a newer version of tallyhook, or report this message.',
  lookup_key_refused: 'Copy the API token of the listing from the site again, and set it as its siteKey.',
  lookup_not_found: 'Check the ID of the listing, and that the site lists it.',
  lookup_rate_limited: 'Another program uses the same API token. Stop it, or give it its own one.',
  lookup_unexpected_status: 'The API of the site may have moved. Look for a newer version of tallyhook.',
};

function errorOfSite(
  name: string,
  { status, retryAfter, body }: TextResponse,
  json: unknown,
  quote: Quote,
  { api, now }: { readonly api: Pick<SiteApi, 'blockMs'>; readonly now: number },
): LookupError {
  const code = codes[status] ?? (status >= 500 ? 'lookup_service_error' : 'lookup_unexpected_status');
  const message = `${name}: the site responded with ${status}: ${quote(body)}`;
  // top.gg writes it into the body.
  const seconds = objectOf(json)['retry-after'];
  const retryAt = retryTime(retryAfter ?? (typeof seconds === 'number' ? String(seconds) : null), now);
  const limitedUntil = code === 'lookup_rate_limited' ? now + (api.blockMs ?? usualBlockMs) : null;
  const hint = hints[code];
  return new LookupError(code, message, {
    status,
    retryAt: retryAt ?? limitedUntil,
    ...(hint !== undefined && { hint }),
  });
}

/** The budget of a key, for all requests to the API of its site. */
function createSiteBudget(
  keyId: string,
  { limit, blockMs }: Pick<SiteApi, 'limit' | 'blockMs'>,
  { budget: log, timeoutMs, clock }: Pick<SiteClientOptions, 'budget' | 'timeoutMs' | 'clock'>,
): Budget {
  const budget = createBudget({ log, keyId, limit, timeoutMs, clock });
  return blockMs === undefined ? budget : withSharedBlocks(budget, { log, keyId, blockMs, clock });
}

/** More than are ever written: the log must not refuse one. */
const maxBlocks = 1_000;

/**
 * A budget whose blocks hold in every process that shares its log, also after a restart. The log has an entry
 * `blockMs` before the end of each, so that it leaves a window of that length when the block ends.
 */
function withSharedBlocks(
  budget: Budget,
  options: { readonly log: BudgetStore; readonly keyId: string; readonly blockMs: number; readonly clock: Clock },
): Budget {
  const { log, blockMs, clock } = options;
  const keyId = `${options.keyId} blocks`;
  return {
    ...budget,
    async acquire() {
      const now = clock.now();
      // A log that cannot be read cannot count the request either.
      const blocks = await log.spent(keyId, now - blockMs).catch(() => 0);
      if (blocks > 0) {
        throw new LookupError('lookup_over_budget', 'The site rejects the key for a while, after too many requests.', {
          // When it ends is not known here.
          retryAt: now + minute,
        });
      }
      await budget.acquire();
    },
    blockUntil(until) {
      budget.blockUntil(until);
      void log.acquire(keyId, until - blockMs, blockMs, maxBlocks).catch(() => {});
    },
  };
}

/** A listing of a bot on a site that takes its counts. */
export type CountedListing = Pick<SiteListing, 'site' | 'id'> & {
  readonly key: string;
  /** The listing's name at the site; null if it is not configured. */
  readonly slug: string | null;
};

/** Sends the counts of a bot to the site of one listing. */
export interface ServerCountClient {
  /** Identifies site, listing and key without revealing them. */
  readonly id: string;
  /** Rejects with a LookupError, TallyhookError `lookup_key_malformed`, or the reason of the signal. */
  send(counts: BotCounts, signal?: AbortSignal): Promise<void>;
}

/** Creates the client of a listing; null if its site takes no counts, or if the listing lacks the id or name for it. */
export function createServerCountClient(
  { site, id, key, slug }: CountedListing,
  options: Pick<SiteClientOptions, 'budget' | 'clock' | 'timeoutMs' | 'apiUrl'>,
): ServerCountClient | null {
  const { clock, timeoutMs, apiUrl } = options;
  const api = findServerCountApi(site, key);
  if (api === null || (api.path.includes('{id}') && id === null) || (api.path.includes('{slug}') && slug === null))
    return null;
  const { method, path, body } = api;
  const name = `${method} ${path.replace('https://', '').replace(/\?.*/, '')}`;
  // Only a site that blocks keys counts all their requests together.
  const keyId = fingerprint(api.blockMs === undefined ? `${site} ${key} counts` : `${site} ${key}`);
  const budget = createSiteBudget(keyId, api, options);
  const quote = createQuote(key);

  return {
    id: fingerprint(`${site} ${id} ${slug} ${key}`),
    async send(counts, signal) {
      requireSendableKey(key);
      const values = { id: id ?? '', slug: slug ?? '', ...counts };
      const url = path.replaceAll(/\{(id|slug|servers)\}/g, (_, field: 'id' | 'slug' | 'servers') =>
        encodeURIComponent(values[field]),
      );
      const json = body && Object.fromEntries(Object.entries(body).map(([field, count]) => [field, counts[count]]));
      const deadline = clock.monotonic() + timeoutMs;
      await budget.acquire();
      const response = await fetchText({
        ...{ method, url: addressOf(url, apiUrl), ...(json && { json }), name, deadline, signal, clock },
        headers: { Authorization: `${api.authorization}${key}` },
      });
      if (response.ok) return;
      const error = errorOfSite(name, response, parseJson(response.body), quote, { api, now: clock.now() });
      if (error.code === 'lookup_rate_limited' && error.retryAt !== null) budget.blockUntil(error.retryAt);
      throw error;
    },
  };
}

interface SiteLookupOptions {
  readonly kind: ListingKind;
  readonly id: string | null;
  /** Where members vote; null if it is not known. */
  readonly page: string | null;
  /** Null if the site does not say who has voted: then the ledger alone does. */
  readonly client: SiteClient | null;
  readonly lastVote: (userId: string) => Promise<LedgerVote | null>;
  /** How long a vote blocks the next one if the site does not say (ms). */
  readonly cooldownMs: number;
  readonly clock: Clock;
  readonly observe: ObserveLookup;
  readonly observeAge: ObserveAge;
}

/**
 * A listing on another site in the form of the service's, so that commands and reminders treat them alike. Its profile
 * is what the configuration says, and what the API of the site tells, if it has one; it has no reviews.
 */
export function createSiteLookup(options: SiteLookupOptions): LookupClient {
  const { kind, id, page: url, client, cooldownMs, clock, observe } = options;
  /** Completes what the site states: the same object for the same statement, because replies are rendered once for each. */
  const profileOf = memoizeOne((stated: SiteProfile) => profiles[kind]({ id, url, stated }));

  async function knownProfile(): Promise<ServerProfile | BotProfile> {
    return profileOf((await client?.knownProfile()) ?? noProfile);
  }

  async function ask(userId: string, notBefore?: number): Promise<CachedValue<CachedVoteStatus>> {
    if (client === null) throw unknownVote('The site does not say who has voted.');
    const vote = await client.check(userId, notBefore === undefined ? {} : { notBefore });
    if (!vote.isComplete && !vote.voted) throw unknownVote('The site says only who was among the last to vote.');
    return { ...statusOf(vote), stale: false };
  }

  function statusOf({ voted, at, nextVoteAt, asOf }: VoteAtSite): { value: CachedVoteStatus; asOf: number } {
    const end = nextVoteAt ?? (voted && at !== null ? at + cooldownMs : null);
    const isRunning = end === null ? voted : clock.now() < end;
    return { value: { canVote: !isRunning, lastVoteAt: at, nextVoteAt: isRunning ? end : null }, asOf };
  }

  const voteStatus = withLedger({
    votes: (userId) => ask(userId),
    // A ledger that cannot be read is reported by what needs it.
    lastVote: (userId) => options.lastVote(userId).catch(() => null),
    clock,
    cooldownMs,
    observe,
  });

  return {
    kind,
    async profile({ complete = false } = {}) {
      // Only what shows its counts waits for the site.
      const stated = client?.profile?.().catch(() => null);
      const { value, ...age } = (complete && (await stated)) || { value: null, asOf: clock.now(), stale: false };
      return { value: value === null ? await knownProfile() : profileOf(value), ...age };
    },
    async voteStatus(userId, { fresh = false } = {}) {
      const status = await (fresh ? ask(userId, clock.now()) : voteStatus(userId));
      options.observeAge('votes', Math.max(0, clock.now() - status.asOf));
      return { ...status, value: withSecondsLeft(status.value, clock.now()) };
    },
    async reviews() {
      throw new LookupError('lookup_wrong_key_type', 'Reviews of listings on other sites are not available.');
    },
    cached: {
      profile: knownProfile,
      async voteStatus(userId) {
        const vote = (await client?.known(userId)) ?? null;
        return vote === null ? null : voteStatusAt(statusOf(vote), clock.now(), cooldownMs);
      },
    },
    keyStatus: async () =>
      (await client?.keyStatus()) ?? { keyRefused: false, wrongShape: false, budgetLeft: null, budgetLimit: 0 },
  };
}

/** The lookup client of a listing, without what is known only while the program runs ({@link createSiteLookup}). */
export const describeSiteListing = (listing: Pick<SiteLookupOptions, 'kind' | 'id'>): LookupClient =>
  createSiteLookup({
    ...listing,
    page: null,
    client: null,
    lastVote: async () => null,
    cooldownMs: 12 * hour,
    clock: systemClock,
    observe() {},
    observeAge() {},
  });

const unknownVote = (message: string) =>
  new LookupError('lookup_not_found', message, { hint: 'The ledger alone says when a member may vote again.' });

type Listed = Pick<ServerProfile, 'id' | 'url'> & { readonly stated: SiteProfile };

const ofServer = ({ stated: { servers: _servers, rating, ...stated }, ...listed }: Listed): ServerProfile => ({
  kind: 'server',
  ...listed,
  ...stated,
  ...(rating && { rating }),
  ...{ category: null, members: null, online: null },
  ...{ features: [], emojis: [], channelCount: null, roleCount: null, rules: [] },
});

const ofBot = ({ stated: { rating, ...stated }, ...listed }: Listed): BotProfile => ({
  kind: 'bot',
  ...listed,
  ...stated,
  ...(rating && { rating }),
  shards: null,
});

const profiles: { readonly [Kind in ListingKind]: (listed: Listed) => ProfileByKind[Kind] } = {
  server: ofServer,
  bot: ofBot,
};
