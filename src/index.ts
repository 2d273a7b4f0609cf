/**
 * tallyhook as a package: the whole bot ({@link createApp}), its webhook routes for an Express app of your own, or single parts of it.
 * @module
 */
export { loadConfig } from '../config/load.ts';
export type { Environment } from '../config/read-values.ts';
export { type Config, type Fault, FaultyConfig, type Listing } from '../config/schema.ts';
export { type App, createApp, type Edges } from './app.ts';
export { type Clock, systemClock } from './clock.ts';
export { StoreUnavailable, TallyhookError } from './errors.ts';
export type { Account, Leaderboard, LedgerReads } from './ledger/ledger.ts';
export { createLog, type Log, type LogLevel } from './log.ts';
export { createLookup, type LookupOptions, type OwnedLookup } from './lookup/client.ts';
export { LookupFailure, type LookupFailureCode } from './lookup/failures.ts';
export type { Known, ListingKind, Lookup, ReviewsQuery, Standing } from './lookup/lookup.ts';
export type {
  BotProfile,
  ProfileByKind,
  Review,
  ReviewSort,
  Reviews,
  ServerProfile,
  VoteStatus,
} from './lookup/schemas.ts';
export type { Recorded } from './tally/tally.ts';
export { isSignature, isSignedWith, sign } from './webhook/signature.ts';
