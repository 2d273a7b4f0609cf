/**
 * `tallyhook/client`: the typed, cached and rate-limited client of the lookup API, without the bot.
 * @module
 */

export type { BudgetDecision, BudgetStore } from '../lookup/budget.ts';
export { createLookup } from '../lookup/client.ts';
export type { LastVote } from '../lookup/freshness.ts';
export type {
  AbortOptions,
  CachedLookups,
  CachedValue,
  KeyStatus,
  ListingKind,
  Lookup,
  LookupClient,
  LookupEvent,
  ObserveAge,
  ObserveLookup,
  Resource,
  ReviewsQuery,
  VoteStatusOptions,
} from '../lookup/lookup.ts';
export { LookupError, type LookupErrorOptions } from '../lookup/lookup-error.ts';
export type { LookupOptions } from '../lookup/lookup-options.ts';
export type {
  BotProfile,
  CachedReviews,
  CachedVoteStatus,
  ProfileByKind,
  Review,
  ReviewSort,
  Reviews,
  ServerProfile,
  VoteStatus,
} from '../lookup/schemas.ts';
export { type Clock, systemClock } from '../platform/clock.ts';
export type { KnownErrorCode, LookupErrorCode, TallyhookErrorCode } from '../platform/error-codes.ts';
export { TallyhookError } from '../platform/errors.ts';
export { type ConfigIssue, InvalidConfigError } from '../platform/invalid-config-error.ts';
export type { Logger } from '../platform/logger.ts';
export { loadTracing } from '../platform/tracing/load-tracing.ts';
export type { Span, SpanAttributes, SpanOptions, Tracing } from '../platform/tracing/tracing.ts';
