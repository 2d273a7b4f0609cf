/**
 * `tallyhook/sandbox`: a local Discord ({@link startLocalDiscord}) and a local listing service ({@link startService}) for
 * tests of any bot, and the complete sandbox ({@link startSandbox}).
 * @module
 */

export type { KnownErrorCode, TallyhookErrorCode } from '../platform/error-codes.ts';
export { TallyhookError } from '../platform/errors.ts';
export { type Fragment, Html, html } from '../platform/web/html.ts';
export type { ListingSettings } from '../sandbox/default-settings.ts';
export type { CommandSchema } from '../sandbox/discord/command-schema.ts';
export type { StoredCommand } from '../sandbox/discord/commands.ts';
export type { ActionRow, Button, Select } from '../sandbox/discord/component-schema.ts';
export type { SentDispatch } from '../sandbox/discord/connection.ts';
export type { DefaultGuildOptions, Person, RoleIds } from '../sandbox/discord/default-guild.ts';
export type { RecordedRequest } from '../sandbox/discord/diagnostics.ts';
export type { StateChange } from '../sandbox/discord/discord-state.ts';
export { RejectedByClientError } from '../sandbox/discord/errors.ts';
export type { FaultControls } from '../sandbox/discord/faults.ts';
export type { FileInput, StoredFile } from '../sandbox/discord/files.ts';
export type { RecordedIdentify } from '../sandbox/discord/gateway.ts';
export type { GuildControls } from '../sandbox/discord/guild-controls.ts';
export type { Callback, ReceivedCallback } from '../sandbox/discord/interactions.ts';
export { startLocalDiscord } from '../sandbox/discord/local-discord.ts';
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
} from '../sandbox/discord/local-discord-interface.ts';
export type { Localizations } from '../sandbox/discord/locales.ts';
export type { Embed } from '../sandbox/discord/message-schema.ts';
export type { Modal, SubmittedValues } from '../sandbox/discord/modal.ts';
export type { AuthorizationControls, OAuthApplication } from '../sandbox/discord/oauth.ts';
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
} from '../sandbox/discord/objects.ts';
export type { PermissionName } from '../sandbox/discord/permissions.ts';
export type { PersistedState } from '../sandbox/discord/persistence.ts';
export type { OptionInput } from '../sandbox/discord/resolve-command.ts';
export type {
  LinkedRoleCondition,
  LinkedRoleControls,
  RoleConnectionObject,
  RoleConnectionRecord,
} from '../sandbox/discord/role-connections.ts';
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
export type {
  BotClient,
  TestBot,
  TestBotOptions,
  TestCommandOptions,
  TestMember,
  TestReply,
} from '../sandbox/test-bot/interface.ts';
export { createTestBot } from '../sandbox/test-bot/test-bot.ts';
export type { ActionLimit } from '../service/abuse/action-counter.ts';
export type { ActionLimits, LimitedAction } from '../service/abuse/admission.ts';
export type { ChallengeContext, VoteChallenge } from '../service/abuse/vote-challenge.ts';
export type { VoteInput, VoteOutcome } from '../service/actions/cast-vote.ts';
export type { NewListing } from '../service/actions/create-listing.ts';
export type { PremiumOutcome, PurchaseOrder } from '../service/actions/orders.ts';
export type { ServiceAdmin, WebhookSecrets, WebhookSettings } from '../service/admin.ts';
export type { DiscordApplication } from '../service/discord-sign-in/discord-accounts.ts';
export type { ServiceFace } from '../service/face/face.ts';
export type {
  BotFacts,
  BotListing,
  CommonListing,
  Listing,
  ServerFacts,
  ServerListing,
  ServiceListingKind,
} from '../service/listing/listing.ts';
export type { SeedResult } from '../service/seed/seed.ts';
export { type RunningService, type ServiceOptions, startService } from '../service/service.ts';
export type {
  DeliveryAttempt,
  WebhookDelivery,
  WebhookDeliveryRecord,
} from '../service/storage/deliveries/deliveries.ts';
export type { ServiceMember } from '../service/storage/members/members.ts';
export type { Purchase, Tier } from '../service/storage/purchases.ts';
export type { DeliveryState, PurchaseStatus, WebhookFamily } from '../service/storage/tables.ts';
export type { WebhookRetryPolicy } from '../service/webhooks/attempt.ts';
export type { LifecycleEvent, WebhookEventKind } from '../service/webhooks/payloads.ts';
export type { Address, Resolve } from '../service/webhooks/target.ts';
export { sign } from '../webhook/sign.ts';
