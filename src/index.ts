/**
 * tallyhook as a package: the whole bot ({@link createApp}), its webhook routes for an Express app of your own, or single parts of it.
 * @module
 */

export type { Environment } from '../config/environment.ts';
export { loadConfig } from '../config/load.ts';
export {
  type Config,
  type ConfigIssue as Fault,
  InvalidConfigError as FaultyConfig,
  type ListingConfig as Listing,
} from '../config/schema.ts';
export { type App, type AppDependencies as Edges, createApp } from './app/app.ts';
export type { Account } from './ledger/account.ts';
export type { Leaderboard, LedgerReads } from './ledger/ledger.ts';
export { createLookup, type LookupClient as OwnedLookup, type LookupOptions } from './lookup/client.ts';
export { LookupError as LookupFailure, type LookupErrorCode as LookupFailureCode } from './lookup/failures.ts';
export type {
  CachedValue as Known,
  KeyStatus as Standing,
  ListingKind,
  Lookup,
  ReviewsQuery,
} from './lookup/lookup.ts';
export type {
  BotProfile,
  ProfileByKind,
  Review,
  ReviewSort,
  Reviews,
  ServerProfile,
  VoteStatus,
} from './lookup/schemas.ts';
export { type Clock, systemClock } from './platform/clock.ts';
export { StoreUnavailableError as StoreUnavailable, TallyhookError } from './platform/errors.ts';
export { createLog, type Log, type LogLevel } from './platform/log.ts';
export type { RecordedDelivery as Recorded } from './tally/tally.ts';
export { isSignature, isSignedWith, sign } from './webhook/signature.ts';
