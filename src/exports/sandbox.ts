/**
 * `tallyhook/sandbox`: a local Discord ({@link startLocalDiscord}) and a local listing service ({@link startService}) for
 * tests of any bot, and the complete sandbox ({@link startSandbox}).
 * @module
 */

export type { KnownErrorCode, TallyhookErrorCode } from '@tallyhook/platform/error-codes';
export { TallyhookError } from '@tallyhook/platform/errors';
export { type Fragment, Html, html } from '@tallyhook/platform/web/html';
export type { ActionLimit } from 'listing-service/abuse/action-counter';
export type { ActionLimits, LimitedAction } from 'listing-service/abuse/admission';
export type { ChallengeContext, VoteChallenge } from 'listing-service/abuse/vote-challenge';
export type { VoteInput, VoteOutcome } from 'listing-service/actions/cast-vote';
export type { NewListing } from 'listing-service/actions/create-listing';
export type { PremiumOutcome, PurchaseOrder } from 'listing-service/actions/orders';
export type { ServiceAdmin, WebhookSecrets, WebhookSettings } from 'listing-service/admin';
export type { DiscordApplication } from 'listing-service/discord-sign-in/discord-accounts';
export type { ServiceFace } from 'listing-service/face/face';
export type {
  BotFacts,
  BotListing,
  CommonListing,
  Listing,
  ServerFacts,
  ServerListing,
  ServiceListingKind,
} from 'listing-service/listing/listing';
export type { SeedResult } from 'listing-service/seed/seed';
export { type RunningService, type ServiceOptions, startService } from 'listing-service/service';
export type {
  DeliveryAttempt,
  WebhookDelivery,
  WebhookDeliveryRecord,
} from 'listing-service/storage/deliveries/deliveries';
export type { ServiceMember } from 'listing-service/storage/members/members';
export type { Purchase, Tier } from 'listing-service/storage/purchases';
export type { DeliveryState, PurchaseStatus, WebhookFamily } from 'listing-service/storage/tables';
export type { WebhookRetryPolicy } from 'listing-service/webhooks/attempt';
export type { LifecycleEvent, WebhookEventKind } from 'listing-service/webhooks/payloads';
export type { Address, Resolve } from 'listing-service/webhooks/target';
export type { CommandSchema } from 'local-discord/command-schema';
export type { StoredCommand } from 'local-discord/commands';
export type { ActionRow, Button, Select } from 'local-discord/component-schema';
export type { SentDispatch } from 'local-discord/connection';
export type { DefaultGuildOptions, Person, RoleIds } from 'local-discord/default-guild';
export type { RecordedRequest } from 'local-discord/diagnostics';
export type { StateChange } from 'local-discord/discord-state';
export { RejectedByClientError } from 'local-discord/errors';
export type { FaultControls } from 'local-discord/faults';
export type { FileInput, StoredFile } from 'local-discord/files';
export type { RecordedIdentify } from 'local-discord/gateway';
export type { GuildControls } from 'local-discord/guild-controls';
export type { Callback, ReceivedCallback } from 'local-discord/interactions';
export { startLocalDiscord } from 'local-discord/local-discord';
export type {
  AutocompleteAction,
  Choice,
  CommandAction,
  ComponentAction,
  InteractionHandle,
  LocalDiscord,
  LocalDiscordOptions,
  ModalAction,
  UserCommandAction,
} from 'local-discord/local-discord-interface';
export type { Localizations } from 'local-discord/locales';
export type { Embed } from 'local-discord/message-schema';
export type { Modal, SubmittedValues } from 'local-discord/modal';
export type { AuthorizationControls, OAuthApplication } from 'local-discord/oauth';
export type {
  Attachment,
  Identified,
  Inner,
  InteractionMetadata,
  Media,
  Message,
  Normalized,
  NormalizedComponent,
  NormalizedContainer,
  NormalizedControl,
  NormalizedEmbed,
  NormalizedFile,
  NormalizedGallery,
  NormalizedRow,
  NormalizedSection,
  NormalizedSeparator,
  NormalizedText,
  NormalizedThumbnail,
  Shown,
  User,
} from 'local-discord/objects';
export type { PermissionName } from 'local-discord/permissions';
export type { PersistedState } from 'local-discord/persistence';
export type { OptionInput } from 'local-discord/resolve-command';
export type {
  LinkedRoleCondition,
  LinkedRoleControls,
  RoleConnectionObject,
  RoleConnectionRecord,
} from 'local-discord/role-connections';
export type {
  BotClient,
  TestBot,
  TestBotOptions,
  TestCommandOptions,
  TestMember,
  TestReply,
} from 'local-discord/test-bot/interface';
export { createTestBot } from 'local-discord/test-bot/test-bot';
export type { ListingSettings } from '../sandbox/default-settings.ts';
export type { DeliveryResponse, FaultInjection, OutageSwitch } from '../sandbox/fault-injection.ts';
export type {
  SandboxEvents,
  Step,
  StepName,
  TimelineDelivery,
  TimelineItem,
  TimelineLine,
  Tone,
} from '../sandbox/page/ports.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
export type { SandboxClock } from '../sandbox/sandbox-clock.ts';
export { sign } from '../webhook/sign.ts';
