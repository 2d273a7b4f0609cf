/**
 * A listing service: people vote for servers and bots, review them and buy premium; owners get signed webhooks, and bots ask the lookup
 * API. {@link startService} starts it.
 * @module
 */

export type { Address, Resolve } from '@tallyhook/platform/webhooks/target';
export type { ActionLimits, LimitedAction } from './abuse/admission.ts';
export type { ChallengeContext, VoteChallenge } from './abuse/vote-challenge.ts';
export type { VoteInput, VoteOutcome } from './actions/cast-vote.ts';
export type { NewListing } from './actions/create-listing.ts';
export type { PremiumOutcome, PurchaseOrder } from './actions/orders.ts';
export type { ServiceAdmin, WebhookSecrets, WebhookSettings } from './admin.ts';
export type { DiscordApplication } from './discord-sign-in/discord-accounts.ts';
export { callbackPath as discordCallbackPath } from './discord-sign-in/discord-accounts.ts';
export type { ServiceFace } from './face/face.ts';
export { voteCooldownMs } from './listing/cooldown.ts';
export type {
  BotFacts,
  BotListing,
  CommonListing,
  Listing,
  ServerFacts,
  ServerListing,
  ServiceListingKind,
} from './listing/listing.ts';
export type { ActionLimit } from './rate-limits.ts';
export {
  seededBot,
  seededInviteCode,
  seededMembers,
  seededOwner,
  seededServer,
} from './seed/community.ts';
export { seededIcon } from './seed/icons.ts';
export { type SeedResult, seededVotes } from './seed/seed.ts';
export { type RunningService, type ServiceOptions, startService } from './service.ts';
export type {
  DeliveryAttempt,
  WebhookDelivery,
  WebhookDeliveryRecord,
} from './storage/deliveries/deliveries.ts';
export type { ServiceMember } from './storage/members/members.ts';
export type { Purchase, Tier } from './storage/purchases.ts';
export type { DeliveryState, PurchaseStatus } from './storage/tables.ts';
export type { WebhookRetryPolicy } from './webhooks/attempt.ts';
export type { LifecycleEvent, WebhookEventKind, WebhookFamily } from './webhooks/event-kinds.ts';
