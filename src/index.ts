/**
 * tallyhook as a package: the complete bot ({@link createApp}), its webhook routes for another Express app
 * ({@link App.webhooks}), the client of the lookup API ({@link createLookup}), and the signature of deliveries
 * ({@link sign}, {@link isSignedWith}).
 * @module
 */

export type {
  AppAnnouncements,
  AppListing,
  AppRewards,
  AppShopItem,
} from '../config/app-listings.ts';
export type { AppDependencies, AppOptions } from '../config/app-options.ts';
export type { AppSettings } from '../config/app-settings.ts';
export type { Environment } from '../config/environment.ts';
export { loadConfig } from '../config/load.ts';
export type { Role } from '../config/roles.ts';
export type { Config, DiscordConfig, ListingConfig } from '../config/schema.ts';
export { createApp } from './app/app.ts';
export type { App } from './app/app-interface.ts';
export type { Account, LastVotes } from './core/ledger/account.ts';
export type { AccountId } from './core/ledger/account-id.ts';
export type { Cause, Entry, ProgramKey } from './core/ledger/entry.ts';
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
} from './core/ledger/standing.ts';
export type { ClaimedEffect, Effect, EffectRow, UnreadableEffect } from './core/outbox/effect.ts';
export type {
  Announcement,
  Bonus,
  ByType,
  DirectMessage,
  DirectMessageContent,
  DirectMessages,
  EffectContents,
  EffectKind,
  GivenRole,
  MemberRole,
  OwnerReport,
  OwnerReportContent,
  OwnerReports,
  RoleContent,
} from './core/outbox/effect-contents.ts';
export type {
  HandlerContent,
  HandlerEvent,
  HandlerEventFields,
  HandlerEvents,
  HandlerKind,
  HandlerListing,
  MemberEventFields,
  MilestoneEvent,
  PremiumEvent,
  PurchaseEvent,
  ReviewEvent,
  StreakEvent,
  VoteEvent,
} from './core/outbox/handler-events.ts';
export type { EntryRecord as LedgerEntry } from './core/records/records.ts';
export type { RewardRules } from './core/rewards/reward.ts';
export type {
  ListingRewards,
  Milestone,
  Multiplier,
  PartyRules,
  StreakRules,
  VoterRole,
  Weekday,
} from './core/rewards/rules.ts';
export type { RecordedDelivery } from './core/tally/tally.ts';
export type { DepartureNotice } from './features/communities/effects.ts';
export type { Digest } from './features/digests/effects.ts';
export { type Handler, type HandlerCall, type Handlers, PermanentError } from './features/handlers/handlers.ts';
export type {
  Ledger,
  LedgerEntriesQuery,
  LedgerPlace,
  LedgerStandingsQuery,
} from './features/handlers/ledger-reads.ts';
export type {
  LedgerChange,
  LedgerResult,
  LedgerSpending,
  LedgerTransfer,
  LedgerTransferResult,
  WritableLedger,
} from './features/handlers/writable-ledger.ts';
export type { RoleConnection } from './features/linked-roles/effects.ts';
export type { LostStreak, LostStreaks } from './features/lost-streaks/effects.ts';
export type { PartyPanel, PartyReached, PartyReward } from './features/party/effects.ts';
export type { ReminderNotice } from './features/reminders/effects.ts';
export type { Review as AnnouncedReview, ReviewAnnouncement } from './features/reviews/effects.ts';
export type { ClosedPurchase, PurchasedItem, ReportedPurchase } from './features/shop/effects.ts';
export { type PublicShopItem, type ShopItem, withoutCodes } from './features/shop/item.ts';
export type { BudgetDecision, BudgetStore } from './lookup/budget.ts';
export { createLookup } from './lookup/client.ts';
export type { LastVote } from './lookup/freshness.ts';
export type {
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
} from './lookup/lookup.ts';
export { LookupError, type LookupErrorOptions } from './lookup/lookup-error.ts';
export type { LookupOptions } from './lookup/lookup-options.ts';
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
} from './lookup/schemas.ts';
export type { AttemptResult, RetryLater } from './platform/attempt-result.ts';
export { type Clock, systemClock } from './platform/clock.ts';
export type { KeySources } from './platform/encryption/encryption.ts';
export type { EncryptionKey } from './platform/encryption/encryption-key.ts';
export type {
  AppOptionErrorCode,
  CommandLineErrorCode,
  DatabaseErrorCode,
  EncryptionErrorCode,
  LedgerErrorCode,
  LookupErrorCode,
  LookupOptionErrorCode,
  OptionErrorCode,
  SandboxErrorCode,
  ServiceErrorCode,
  TallyhookErrorCode,
  VerificationErrorCode,
} from './platform/error-codes.ts';
export { StoreUnavailableError, TallyhookError } from './platform/errors.ts';
export { type ConfigIssue, InvalidConfigError } from './platform/invalid-config-error.ts';
export { createLog, type LogLevel } from './platform/log.ts';
export type { Logger } from './platform/logger.ts';
export type { Redactor } from './platform/redactor.ts';
export type { ExporterOptions, SamplerName } from './platform/tracing/exporter-options.ts';
export { loadTracing } from './platform/tracing/load-tracing.ts';
export type { Span, SpanAttributes, SpanOptions, Tracing } from './platform/tracing/tracing.ts';
export type { AnnouncementMode, AnnouncementSettings } from './texts/announcement-settings.ts';
export type { Outcome } from './webhook/response.ts';
export type { WebhookMiddleware, WebhookRoutes } from './webhook/routes.ts';
export { sign } from './webhook/sign.ts';
export { isSignedWith } from './webhook/signature.ts';
export { isSignature } from './webhook/signed-form.ts';
