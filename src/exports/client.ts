/**
 * `tallyhook/client`: the typed, cached and rate-limited client of the lookup API, without the bot.
 * @module
 */

export type { BudgetDecision, BudgetStore } from '../lookup/budget.ts';
export { createLookup, type LookupOptions } from '../lookup/client.ts';
export type {
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
} from '../lookup/lookup.ts';
export { LookupError, type LookupErrorCode } from '../lookup/lookup-error.ts';
export type {
  BotProfile,
  ProfileByKind,
  Review,
  ReviewSort,
  Reviews,
  ServerProfile,
  VoteStatus,
} from '../lookup/schemas.ts';
export { type Clock, systemClock } from '../platform/clock.ts';
