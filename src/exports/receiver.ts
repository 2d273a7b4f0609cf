/**
 * `tallyhook/receiver`: receives, counts and pays votes, and calls your handlers, without Discord. Does not load
 * discord.js.
 * @module
 */

export type { CustomSite, ReceiverListing, ReceiverRewards } from '../../config/receiver-listings.ts';
export { createReceiver, type ReceiverHandlers, type ReceiverOptions, type VoteReceiver } from '../app/receiver-app.ts';
export type { Account } from '../core/ledger/account.ts';
export type { ProgramKey } from '../core/ledger/entry.ts';
export type {
  Ledger,
  LedgerChange,
  LedgerEntriesQuery,
  LedgerPlace,
  LedgerRefund,
  LedgerResult,
  LedgerSpending,
  LedgerStandingsQuery,
  LedgerTransfer,
  LedgerTransferResult,
  WritableLedger,
} from '../core/ledger/program-ledger.ts';
export type {
  Board,
  LeaderboardPage,
  LeaderboardPeriod,
  LeaderboardQuery,
  LeaderboardScore,
  RankedMember,
} from '../core/ledger/standing.ts';
export type {
  HandlerEventFields,
  HandlerListing,
  MemberEventFields,
  MilestoneEvent,
  PremiumEvent,
  PurchaseEvent,
  ReviewEvent,
  StreakEvent,
  VoteEvent,
} from '../core/outbox/handler-events.ts';
export type { LedgerEntry } from '../core/records/records.ts';
export type { WeekdayName } from '../core/settings/reward-settings.ts';
export type { RecordedDelivery } from '../core/tally/tally.ts';
export type { Cause, EntryCauses, KnownCause } from '../features/causes.ts';
export { type Handler, type HandlerCall, type Handlers, PermanentError } from '../features/handlers/handlers.ts';
export { type Clock, systemClock } from '../platform/clock.ts';
export type { KnownErrorCode, TallyhookErrorCode } from '../platform/error-codes.ts';
export { StoreUnavailableError, TallyhookError } from '../platform/errors.ts';
export { type ConfigIssue, InvalidConfigError } from '../platform/invalid-config-error.ts';
export { createLog, type LogLevel, type LogOptions, type ProgramLog } from '../platform/log.ts';
export type { Logger } from '../platform/logger.ts';
export { loadTracing } from '../platform/tracing/load-tracing.ts';
export type { Span, SpanAttributes, SpanOptions, Tracing } from '../platform/tracing/tracing.ts';
export type { Outcome } from '../webhook/response.ts';
export type { WebhookMiddleware, WebhookRoutes } from '../webhook/routes.ts';
export { sign } from '../webhook/sign.ts';
