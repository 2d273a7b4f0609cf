import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { second } from '../../platform/durations.ts';
import { createHmacKey, createSignedMessage, type HmacKey } from '../secret-index.ts';
import type { ReadHeader, Scheme, SignedContent, TokenScheme } from './scheme.ts';
import { chooseScheme, readJws, readSignature } from './scheme.ts';
import type { Site } from './site.ts';
import { malformed, mismatch, missing, notJws, rejectFuture, type Unauthentic } from './unauthentic.ts';

/** A delivery to the address of a listing. */
export interface SiteDelivery {
  readonly readHeader: ReadHeader;
  readonly body: Buffer;
}

/** A delivery whose sender is known. */
export interface AuthenticDelivery {
  readonly scheme: Scheme;
  /** The JSON text of the delivery: its body, or what the body contains. */
  readonly content: string;
  /** When it was signed (ms since the epoch); null if that is not known. */
  readonly signedAt: number | null;
}

/**
 * The rejection of a delivery that no body can authenticate; null if the body decides. Then nothing was compared with a
 * secret, unless the secret itself is in a header.
 */
export function rejectByHeaders(
  site: Site,
  readHeader: ReadHeader,
  secrets: readonly string[],
  now: number,
): Unauthentic | null {
  const read = readHeaders(site, readHeader, secrets, now);
  return 'error' in read ? read : null;
}

/** What the headers say of the sender, which a signature has yet to prove. */
interface SenderHeaders {
  readonly scheme: Scheme;
  /** Null unless the signature is in a header. */
  readonly signed: SignedContent | null;
}

function readHeaders(
  site: Site,
  readHeader: ReadHeader,
  secrets: readonly string[],
  now: number,
): SenderHeaders | Unauthentic {
  const scheme = chooseScheme(site.schemes, readHeader);
  if (scheme === null) return missing(site);
  switch (scheme.type) {
    case 'token':
      return isToken(scheme, readHeader(scheme.header) ?? '', secrets) ? { scheme, signed: null } : mismatch(site);
    case 'signature': {
      const signed = readSignature(scheme, readHeader(scheme.header) ?? '');
      return signed === null ? malformed(scheme.header) : (rejectFuture(signed, now) ?? { scheme, signed });
    }
    case 'jws':
    case 'none':
      return { scheme, signed: null };
  }
}

/** Compares in constant time, and never throws. */
export function authenticate(
  site: Site,
  { readHeader, body }: SiteDelivery,
  secrets: readonly string[],
  now: number,
): AuthenticDelivery | Unauthentic {
  const read = readHeaders(site, readHeader, secrets, now);
  if ('error' in read) return read;
  const { scheme } = read;
  const text = body.toString('utf8');
  switch (scheme.type) {
    case 'token':
    case 'none':
      return { scheme, content: text, signedAt: null };
    case 'signature':
    case 'jws': {
      const signed = read.signed ?? readJws(text);
      if (signed === null) return notJws();
      if (!isSigned(signed, body, secrets)) return mismatch(site);
      return { scheme, content: signed.content ?? text, signedAt: signed.signedAt };
    }
  }
}

/** The headers and body of a delivery that is signed as the site does. `now`: ms since the epoch. */
export function signDelivery(
  scheme: Scheme,
  body: string,
  secret: string,
  now: number,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  switch (scheme.type) {
    case 'token':
      return { headers: { [scheme.header]: scheme.prefix + secret }, body };
    case 'signature': {
      const seconds = Math.floor(now / second);
      const digits = hmac(secret, scheme.timed ? `${seconds}.` : '', body).toString('hex');
      return {
        headers: { [scheme.header]: scheme.timed ? `t=${seconds},v1=${digits}` : scheme.prefix + digits },
        body,
      };
    }
    case 'jws': {
      const message = [{ alg: 'HS256', typ: 'JWT' }, body].map(toBase64url).join('.');
      return { headers: {}, body: `${message}.${hmac(secret, '', message).toString('base64url')}` };
    }
    case 'none':
      return { headers: {}, body };
  }
}

function toBase64url(part: object | string): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

function hmac(secret: string, lead: string, message: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(lead).update(message).digest();
}

/** Every secret is compared, so that the duration does not tell which one is valid. */
function isSigned({ lead, message, signature }: SignedContent, body: Buffer, secrets: readonly string[]): boolean {
  const signed = createSignedMessage(message ?? body, signature, lead);
  return keysOf(secrets).map(signed.isSignedWith).includes(true);
}

/** By the secrets of a listing. */
const keys = new WeakMap<readonly string[], readonly HmacKey[]>();

function keysOf(secrets: readonly string[]): readonly HmacKey[] {
  const known = keys.get(secrets);
  if (known !== undefined) return known;
  const created = secrets.map(createHmacKey);
  keys.set(secrets, created);
  return created;
}

/** Digests of a random key have one length, and a sender who guesses learns nothing from them. */
const digestKey = randomBytes(32);

function isToken({ prefix }: TokenScheme, value: string, secrets: readonly string[]): boolean {
  const digest = (text: string) => createHmac('sha256', digestKey).update(text).digest();
  const received = digest(value);
  const matches = secrets.map((secret) => timingSafeEqual(digest(prefix + secret), received));
  return matches.includes(true);
}
