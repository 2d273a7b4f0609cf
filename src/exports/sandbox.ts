/**
 * `tallyhook/sandbox`: a local Discord ({@link startLocalDiscord}) and a local listing service ({@link startService}) for
 * tests of any bot, and the complete sandbox ({@link startSandbox}).
 * @module
 */

export type { KnownErrorCode, TallyhookErrorCode } from '@tallyhook/platform/error-codes';
export { TallyhookError } from '@tallyhook/platform/errors';
export { type Fragment, Html, html } from '@tallyhook/platform/web/html';
export type * from 'listing-service';
export { startService } from 'listing-service';
export type * from 'local-discord';
export { createTestBot, LocalDiscordError, RejectedByClientError, startLocalDiscord } from 'local-discord';
export type { Tone } from 'local-discord/page';
export type { ListingSettings } from '../sandbox/community.ts';
export type { DeliveryResponse, FaultInjection, OutageSwitch } from '../sandbox/fault-injection.ts';
export type {
  SandboxEvents,
  Step,
  StepName,
  TimelineDelivery,
  TimelineItem,
  TimelineLine,
} from '../sandbox/page/ports.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
export type { SandboxClock } from '../sandbox/sandbox-clock.ts';
export { sign } from '../webhook/sign.ts';
