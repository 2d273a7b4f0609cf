/**
 * tallyhook as a package: the complete bot ({@link createApp}), and what it shares with the other entries. Types of
 * lookups are in `tallyhook/client`, all types of handlers and of the ledger in `tallyhook/receiver`, and those of
 * commands in `tallyhook/discord`.
 * @module
 */

export { type Clock, systemClock } from '@tallyhook/platform/clock';
export type { KnownErrorCode, TallyhookErrorCode } from '@tallyhook/platform/error-codes';
export { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
export { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
export { createLog, type LogLevel, type ProgramLog } from '@tallyhook/platform/log';
export type { Logger } from '@tallyhook/platform/logger';
export type { AppAnnouncements, AppListing, AppOptions, AppRewards, AppShopItem } from '../config/app-options.ts';
export type { Environment } from '../config/environment.ts';
export { loadConfig } from '../config/load.ts';
export type { Config, DiscordConfig, ListingConfig } from '../config/schema.ts';
export type { Role } from '../config/settings.ts';
export { createApp } from './app/app.ts';
export type { App } from './app/app-interface.ts';
export type { Account } from './core/ledger/account.ts';
export type {
  Ledger,
  LedgerChange,
  LedgerRefund,
  LedgerResult,
  LedgerSpending,
  LedgerTransfer,
  LedgerTransferResult,
} from './core/ledger/program-ledger.ts';
export type {
  LastingGrant,
  LeaderboardPage,
  LeaderboardQuery,
  PeriodTotal,
  Standing,
  Standings,
} from './core/ledger/standing.ts';
export type {
  MilestoneEvent,
  PremiumEvent,
  PurchaseEvent,
  ReviewEvent,
  StreakEvent,
  VoteEvent,
} from './core/outbox/handler-events.ts';
export type { WebhookRoutes } from './core/receiving/webhook-routes.ts';
export type { LedgerEntry } from './core/records/records.ts';
export type { RecordedDelivery } from './core/tally/tally.ts';
export { type Handler, type HandlerCall, type Handlers, PermanentError } from './features/handlers/handlers.ts';
export type { PostedServerCount } from './features/server-counts/posted-count.ts';
export { createLookup } from './lookup/client.ts';
export { LookupError } from './lookup/lookup-error.ts';
export { sign } from './webhook/sign.ts';
export { isSignedWith } from './webhook/signature.ts';
export { isSignature } from './webhook/signed-form.ts';
