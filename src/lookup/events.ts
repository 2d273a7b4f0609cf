import type { LookupErrorCode } from './failures.ts';

/** What is asked about: `GET /server` or `/bot`, `/votes/:userId`, `/reviews`. */
export type Resource = 'profile' | 'votes' | 'reviews';

/**
 * What happened to one question, for whoever counts. Of one question:
 * - `fact`: the ledger knew the answer; nothing else was looked at
 * - `hit`: the cache knew it
 * - `miss`: neither did, so the service has to say
 * - `joined`: the same question was under way already
 * - `stale`: it was answered with what was known earlier
 * - `asked`: a request left for the service
 * - `failed`: the service, or the budget, refused
 */
export type LookupEvent =
  | { readonly event: 'fact' | 'hit' | 'miss' | 'joined' | 'stale' | 'asked'; readonly resource: Resource }
  | { readonly event: 'failed'; readonly resource: Resource; readonly code: LookupErrorCode };

/** Called while somebody waits; what it throws would fail the question. */
export type ObserveLookup = (observation: LookupEvent) => void;

/** Told of every answer that is given: how long ago (ms) the service, or the ledger, said it. */
export type ObserveAge = (resource: Resource, age: number) => void;
