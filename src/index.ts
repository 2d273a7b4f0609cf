/**
 * tallyhook as a package: the complete bot ({@link createApp}), its webhook routes for another Express app
 * ({@link App.webhooks}), the client of the lookup API ({@link createLookup}), and the signature of deliveries
 * ({@link sign}, {@link isSignedWith}).
 * @module
 */

export type { Environment } from '../config/environment.ts';
export { loadConfig } from '../config/load.ts';
export { type Config, type ConfigIssue, InvalidConfigError, type ListingConfig } from '../config/schema.ts';
export { type App, type AppDependencies, createApp } from './app/app.ts';
export type { Account } from './ledger/account.ts';
export type { LedgerReads } from './ledger/ledger.ts';
export type {
  Board,
  LastingGrant,
  LeaderboardPage,
  LeaderboardPeriod,
  LeaderboardQuery,
  LeaderboardScore,
  PeriodTotal,
  RankedMember,
  Standing,
  Standings,
} from './ledger/standing.ts';
export type { BudgetDecision, BudgetStore } from './lookup/budget.ts';
export { createLookup, type LookupOptions } from './lookup/client.ts';
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
} from './lookup/lookup.ts';
export { LookupError, type LookupErrorCode } from './lookup/lookup-error.ts';
export type {
  BotProfile,
  ProfileByKind,
  Review,
  ReviewSort,
  Reviews,
  ServerProfile,
  VoteStatus,
} from './lookup/schemas.ts';
export type { LastVote } from './lookup/with-ledger.ts';
export type { AttemptResult, ClaimedEffect, Effect, RetryLater, UnreadableEffect } from './outbox/effect.ts';
export type {
  Announcement,
  DirectMessage,
  DirectMessageContent,
  EffectContents,
  EffectKind,
  MemberRole,
  OwnerReport,
  OwnerReportContent,
  PartyPanel,
  PartyReward,
} from './outbox/effect-contents.ts';
export { type Clock, systemClock } from './platform/clock.ts';
export type { TallyhookErrorCode } from './platform/error-codes.ts';
export { StoreUnavailableError, TallyhookError } from './platform/errors.ts';
export { createLog, type Log, type LogLevel } from './platform/log.ts';
export type { Redactor } from './platform/redactor.ts';
export type {
  ListingRewards,
  Milestone,
  Multiplier,
  PartyRules,
  StreakRules,
  VoterRole,
  Weekday,
} from './rewards/rules.ts';
export { type PublicShopItem, type ShopItem, withoutCodes } from './rewards/shop-item.ts';
export type { Outcome, RecordedDelivery } from './tally/tally.ts';
export { loadTracing } from './tracing/load-tracing.ts';
export type { Span, SpanAttributes, SpanOptions, Tracing } from './tracing/tracing.ts';
export { isSignature, isSignedWith, sign } from './webhook/signature.ts';
