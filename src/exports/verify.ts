/**
 * `tallyhook/verify`: verifies and parses the deliveries of a listing service, in Node, Deno, Bun, Cloudflare Workers and
 * any other runtime with Web Crypto. Imports nothing else.
 * @module
 */

export type { KnownErrorCode, TallyhookErrorCode, VerificationErrorCode } from '@tallyhook/platform/error-codes';
export { TallyhookError } from '@tallyhook/platform/errors';
export type { EventKind, PremiumKind, VoteAtSite, VoteKind } from '../webhook/event.ts';
export { sign } from '../webhook/sign.ts';
export type {
  HeadersLike,
  Secret,
  SiteSecrets,
  VerifyOptions,
  WebhookSecrets,
} from '../webhook/verification/request.ts';
export { VerificationError } from '../webhook/verification/verification-error.ts';
export type {
  EventListing,
  VerifiedEvent,
  VerifiedFields,
  VerifiedOther,
  VerifiedPremium,
  VerifiedSiteEvent,
  VerifiedTest,
  VerifiedVote,
} from '../webhook/verification/verify.ts';
export { type DeliveryRequest, verify } from '../webhook/verification/verify.ts';
