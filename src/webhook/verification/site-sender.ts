import { closest } from '@tallyhook/platform/did-you-mean';
import { TallyhookError } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import { hmacSha256Hex, isEqualText } from '@tallyhook/platform/sha256';
import { service, sites } from '../sites/index.ts';
import { readDelivery, refuseOld, type SitePayload } from '../sites/read-delivery.ts';
import { recogniseSite } from '../sites/recognise.ts';
import { createAuthentication } from '../sites/scheme.ts';
import type { Site } from '../sites/site.ts';
import {
  type Bytes,
  concat,
  type HeadersLike,
  listOf,
  readHeader,
  rejectUnknownSecrets,
  type SiteSecrets,
  textOf,
} from './request.ts';
import { VerificationError } from './verification-error.ts';

/** The site and the secrets that are not empty. @throws TallyhookError `invalid_options`; VerificationError `webhook_secret_missing` */
export function readSiteSecrets(options: SiteSecrets): { readonly site: Site; readonly secrets: readonly string[] } {
  rejectUnknownSecrets(options, ['site', 'secrets', 'id']);
  const { site: id, secrets } = options;
  const known = sites.filter(({ schemes: [{ type }] }) => type !== 'none');
  const site = known.find((each) => each.id === id);
  if (site === undefined) {
    const names = known.map((each) => each.id);
    const meant = closest(id, names);
    const hint = meant === undefined ? `The sites are ${names.join(', ')}.` : `Did you mean ${meant}?`;
    throw new TallyhookError('invalid_options', 'The option site of verify is no site that tallyhook knows.', { hint });
  }
  const given = listOf(secrets);
  if (given.length === 0) throw new VerificationError('webhook_secret_missing');
  return { site, secrets: given };
}

const encoder = new TextEncoder();
const { authenticate } = createAuthentication({
  hmac: (key, ...parts) =>
    hmacSha256Hex(key, concat(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)))),
  isEqual: isEqualText,
});

/**
 * Verifies and parses a delivery of another site, as the receiver does.
 * @param bytes null for a parsed body that cannot be serialised, so that no signature is valid
 * @param kind what the webhook is for; null for what the delivery says
 * @throws VerificationError
 */
export function readSiteDelivery(
  site: Site,
  request: { readonly headers: HeadersLike; readonly bytes: Bytes | null; readonly secrets: readonly string[] },
  { kind, id, now }: { readonly kind: 'server' | 'bot' | null; readonly id: string | null; readonly now: number },
): { readonly payload: SitePayload; readonly raw: string } {
  const { headers, bytes, secrets } = request;
  const sender = authenticate(site, { readHeader: (name) => readHeader(headers, name), body: bytes }, { secrets }, now);
  if ('error' in sender)
    throw new VerificationError(sender.code, {
      message: sender.error + explainSender(headers, textOf(bytes), now, site),
    });
  const { content: raw, scheme, signedAt } = sender;
  const json = parseJson(raw);
  if (json === undefined) throw new VerificationError(raw === '' ? 'webhook_body_empty' : 'webhook_body_not_json');
  return { payload: refuseOld(readDelivery(site, json, { kind, id }, { now, scheme }), signedAt, now), raw };
}

/** Continues a message: which other site a delivery may be from; empty if it is not like that of another one. */
export function explainSender(headers: HeadersLike, body: string, now: number, expected: Site = service): string {
  const sender = recogniseSite({ readHeader: (name) => readHeader(headers, name), body, now }, expected);
  if (sender === null) return '';
  const meant = sender.id === 'service' ? 'its secret alone' : `{ site: '${sender.id}', secrets }`;
  return ` This looks like a delivery of ${sender.name}: pass ${meant} to verify.`;
}
