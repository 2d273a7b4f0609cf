import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { type LedgerVote, voteStatusAt, withLedger, withSecondsLeft } from '../freshness.ts';
import type { CachedValue, ListingKind, LookupClient, ObserveAge, ObserveLookup } from '../lookup.ts';
import { LookupError } from '../lookup-error.ts';
import type { BotProfile, CachedVoteStatus, ProfileByKind, ServerProfile } from '../schemas.ts';
import { noProfile, type SiteProfile } from './site-api.ts';
import type { SiteClient, VoteAtSite } from './site-client.ts';

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

/** As {@link createSiteLookup}, without what is known only while the program runs. */
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
