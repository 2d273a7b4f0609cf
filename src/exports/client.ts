/**
 * `tallyhook/client`: the typed, cached and rate-limited client of the lookup API, without the bot.
 * @module
 */

export { type Clock, systemClock } from '@tallyhook/platform/clock';
export type { KnownErrorCode, LookupErrorCode, TallyhookErrorCode } from '@tallyhook/platform/error-codes';
export { TallyhookError } from '@tallyhook/platform/errors';
export { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
export type { Logger } from '@tallyhook/platform/logger';
export type { BudgetDecision, BudgetStore } from '../lookup/budget.ts';
export type { LastVote } from '../lookup/cache.ts';
export type { LookupOptions } from '../lookup/client.ts';
export { createLookup } from '../lookup/client.ts';
export type {
  AbortOptions,
  BotProfile,
  CachedLookups,
  CachedReviews,
  CachedValue,
  CachedVoteStatus,
  KeyStatus,
  ListingKind,
  Lookup,
  LookupClient,
  LookupEvent,
  ObserveAge,
  ObserveLookup,
  ProfileByKind,
  Resource,
  Review,
  ReviewSort,
  Reviews,
  ReviewsQuery,
  ServerProfile,
  VoteStatus,
  VoteStatusOptions,
} from '../lookup/lookup.ts';
export { LookupError, type LookupErrorOptions } from '../lookup/lookup-error.ts';
