/**
 * `tallyhook/verify`: verifies and parses the deliveries of a listing service, in Node, Deno, Bun, Cloudflare Workers and
 * any other runtime with Web Crypto. Imports nothing else.
 * @module
 */

export type { TallyhookErrorCode, VerificationErrorCode } from '../platform/error-codes.ts';
export { TallyhookError } from '../platform/errors.ts';
export type { EventKind, EventTarget, Family, Premium, PremiumKind, Vote, VoteKind } from '../webhook/event.ts';
export type { TestEvent, VerifiedEvent } from '../webhook/verification/events.ts';
export type { HeadersLike } from '../webhook/verification/headers.ts';
export type { Secret, WebhookSecrets } from '../webhook/verification/secrets.ts';
export { VerificationError } from '../webhook/verification/verification-error.ts';
export { type DeliveryRequest, sign, type VerifyOptions, verify } from '../webhook/verification/verify.ts';
