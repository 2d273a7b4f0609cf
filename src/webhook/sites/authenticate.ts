import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { second } from '@tallyhook/platform/durations';
import { createHmacKey, createSignedMessage, type HmacKey } from '../secret-index.ts';
import { chooseScheme, type ReadHeader, type Scheme, type SignatureScheme, type TokenScheme } from './scheme.ts';
import { decodeKey, readJws, readSignature, type SignedContent, textAround } from './signed-content.ts';
import type { Site } from './site.ts';
import { mismatch, missing, rejectFuture, type Unauthentic } from './unauthentic.ts';

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
      const signed = readSignature(scheme, readHeader);
      return 'error' in signed ? signed : (rejectFuture(signed.signedAt, now) ?? { scheme, signed });
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
      if ('error' in signed) return signed;
      if (!isSigned(signed, body, keysOf(secrets, keyFormOf(scheme)))) return mismatch(site);
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
      const { header, value, timestamp, idHeader } = scheme;
      const time = String(timestamp?.unit === 'ms' ? now : Math.floor(now / second));
      const id = idHeader === null ? '' : `msg_${randomBytes(12).toString('hex')}`;
      const [before, after] = textAround(scheme, time, id);
      const digest = hmac(keyBytes(secret, scheme.key), before + body + after).toString(scheme.encoding);
      const lead = { plain: scheme.prefix, timed: `t=${time},v1=`, versioned: 'v1,' }[value];
      return {
        headers: {
          ...(idHeader !== null && { [idHeader]: id }),
          ...(timestamp !== null && { [timestamp.header]: time }),
          [header]: lead + digest,
        },
        body,
      };
    }
    case 'jws': {
      const message = [{ alg: 'HS256', typ: 'JWT' }, body].map(toBase64url).join('.');
      return { headers: {}, body: `${message}.${hmac(secret, message).toString('base64url')}` };
    }
    case 'none':
      return { headers: {}, body };
  }
}

function toBase64url(part: object | string): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

function hmac(key: string | Uint8Array, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** Every secret is compared, so that the duration does not tell which one is valid. */
function isSigned({ around, message, signatures }: SignedContent, body: Buffer, keys: readonly HmacKey[]): boolean {
  const [before, after] = around;
  const signed = message ?? (after === '' ? body : Buffer.concat([body, Buffer.from(after)]));
  return signatures
    .map((signature) => keys.map(createSignedMessage(signed, signature, before).isSignedWith).includes(true))
    .includes(true);
}

type KeyForm = SignatureScheme['key'];

const keyFormOf = (scheme: Scheme): KeyForm => ('key' in scheme ? scheme.key : 'text');
const keyBytes = (secret: string, form: KeyForm) => (form === 'text' ? Buffer.from(secret) : decodeKey(secret));

/** By the secrets of a listing, which is on one site. */
const knownKeys = new WeakMap<readonly string[], readonly HmacKey[]>();

function keysOf(secrets: readonly string[], form: KeyForm): readonly HmacKey[] {
  const known = knownKeys.get(secrets);
  if (known !== undefined) return known;
  // Anybody can sign with an empty key.
  const bytes = secrets.map((secret) => keyBytes(secret, form)).filter(({ length }) => length > 0);
  const created = bytes.map(createHmacKey);
  knownKeys.set(secrets, created);
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
