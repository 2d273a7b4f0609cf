/**
 * `tallyhook/receiver`: receives, counts and pays votes, and calls your handlers, without Discord. Does not load
 * discord.js.
 * @module
 */

export { type Clock, systemClock } from '@tallyhook/platform/clock';
export type { KnownErrorCode, TallyhookErrorCode } from '@tallyhook/platform/error-codes';
export { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
export { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
export { createLog, type LogLevel, type LogOptions, type ProgramLog } from '@tallyhook/platform/log';
export type { Logger } from '@tallyhook/platform/logger';
export type { CustomSite, ReceiverListing, ReceiverRewards } from '../../config/receiver-options.ts';
export { createReceiver, type ReceiverHandlers, type ReceiverOptions, type VoteReceiver } from '../app/receiver-app.ts';
export type { Account } from '../core/ledger/account.ts';
export type { Cause, KnownCause, ProgramKey } from '../core/ledger/entry.ts';
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
export type { WebhookMiddleware, WebhookRoutes } from '../core/receiving/webhook-routes.ts';
export type { LedgerEntry } from '../core/records/records.ts';
export type { WeekdayName } from '../core/settings/reward-settings.ts';
export type { RecordedDelivery } from '../core/tally/tally.ts';
export { type Handler, type HandlerCall, type Handlers, PermanentError } from '../features/handlers/handlers.ts';
export type { Outcome } from '../webhook/response.ts';
export { sign } from '../webhook/sign.ts';
