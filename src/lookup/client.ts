import type { Keyv } from 'keyv';
import { pino } from 'pino';
import { type Clock, hour, second, systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { createAnswerStorage } from './answer-storage.ts';
import { type BudgetLog, createBudget, memoryBudgetLog } from './budget.ts';
import { readThrough } from './cache.ts';
import { createComplaints } from './complaints.ts';
import { type Endpoint, profileEndpoint, reviewsCap, reviewsEndpoint, votesEndpoint } from './endpoints.ts';
import { LookupBadParameter, LookupWrongKeyType } from './failures.ts';
import { fingerprint } from './fingerprint.ts';
import { createHoldOff } from './hold-off.ts';
import { createHttp } from './http.ts';
import { createInquiry } from './inquiry.ts';
import type { Known, ListingKind, Lookup, Standing } from './lookup.ts';
import type { Observe, ObserveAge, Resource } from './observation.ts';
import { memoryKeyv } from './open-keyv.ts';
import { createStandingFaults } from './standing-faults.ts';
import { type LastVote, withLedger } from './with-ledger.ts';

/** What a lookup client is made of. All but the first three have a default. */
export interface LookupOptions {
  readonly kind: ListingKind;
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  /** The listing's API key (document, section 5). */
  readonly key: string;
  /** Where answers are kept; the memory of this process unless given. Several lookups may share one. */
  readonly cache?: Keyv;
  /**
   * Where requests are counted, 120 per minute and key (document, section 8); the memory of this process unless given.
   * Whoever else uses the key must count in the same log.
   */
  readonly budget?: BudgetLog;
  /** The machine's own unless given. */
  readonly clock?: Clock;
  /** Silent unless given. */
  readonly log?: Log;
  /** What the ledger knows of a user's last vote for this listing; nothing unless given. One that rejects is logged. */
  readonly lastVote?: LastVote;
  /** How long a vote blocks the next one (ms); 12 hours unless given (document, section 2.4). */
  readonly cooldownMs?: number;
  /** How long the service may take (ms); 5 seconds unless given. None who counts in the same log may wait longer. */
  readonly timeoutMs?: number;
  /** Told of everything that happens, for metrics. */
  readonly observe?: Observe;
  /** Told of every answer that is given, for metrics. */
  readonly observeAge?: ObserveAge;
}

/** A lookup that its owner can look into. */
export interface OwnedLookup extends Lookup {
  /** Asks nobody, and never rejects. */
  standing(): Promise<Standing>;
}

/**
 * The client of the lookup API for one listing.
 * @throws TallyhookError `lookup_key_malformed` when no header can carry the key
 */
export function createLookup(options: LookupOptions): OwnedLookup {
  const { kind, key, baseUrl } = options;
  const clock = options.clock ?? systemClock;
  const timeout = options.timeoutMs ?? 5 * second;
  const observe = options.observe ?? (() => {});
  const observeAge = options.observeAge ?? (() => {});
  const log = options.log ?? pino({ enabled: false });
  const complain = createComplaints({ log, clock });
  const faults = createStandingFaults({ log, complain });
  const budget = createBudget({ log: options.budget ?? memoryBudgetLog(), keyId: fingerprint(key), timeout, clock });

  const inquire = createInquiry({
    http: createHttp({ baseUrl, key, clock }),
    budget,
    holdOff: createHoldOff(clock),
    clock,
    timeout,
    complain,
    faults,
    observe,
  });
  const storage = createAnswerStorage({ keyv: options.cache ?? memoryKeyv(), clock, complain });
  const prefix = fingerprint(`${baseUrl} ${key}`);

  const profile = through(profileEndpoint[kind]);
  const votes = through(votesEndpoint);
  const reviews = through(reviewsEndpoint);
  const voteStatus = withLedger({
    votes,
    clock,
    observe,
    cooldown: options.cooldownMs ?? 12 * hour,
    lastVote: async (userId) => {
      try {
        return (await options.lastVote?.(userId)) ?? null;
      } catch (thrown) {
        complain('warn', 'ledger_unread', `The ledger cannot be read for a lookup: ${messageOf(thrown)}`);
        return null;
      }
    },
  });

  return {
    kind,
    profile: () => aged('profile', profile(kind)),
    async voteStatus(userId) {
      if (!/^\d{1,20}$/.test(userId)) throw new LookupBadParameter('A user id has 1 to 20 digits.');
      return aged('votes', voteStatus(userId));
    },
    async reviews({ sort, limit }) {
      if (kind === 'bot') throw new LookupWrongKeyType('Reviews are served to the key of a server only.');
      const known = await aged('reviews', reviews(sort));
      const wanted = Math.min(Math.max(1, limit), reviewsCap);
      return { ...known, value: { ...known.value, reviews: known.value.reviews.slice(0, wanted) } };
    },
    async standing() {
      return {
        keyRefused: faults.has('lookup_key_refused'),
        wrongShape: faults.has('lookup_wrong_shape'),
        budgetLeft: await budget.left().catch(() => null),
      };
    },
  };

  async function aged<Value>(resource: Resource, coming: Promise<Known<Value>>): Promise<Known<Value>> {
    const known = await coming;
    observeAge(resource, Math.max(0, clock.now() - known.asOf));
    return known;
  }

  function through<Value>(endpoint: Endpoint<Value>): (id: string) => Promise<Known<Value>> {
    const { resource, shape, freshUntil } = endpoint;
    const keyOf = (id: string) => `${prefix}:${resource}:${id}`;
    return readThrough({
      resource,
      shape,
      freshUntil,
      keyOf,
      storage,
      clock,
      observe,
      ask: (id) => inquire(endpoint, id),
    });
  }
}
