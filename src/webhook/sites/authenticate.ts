import { randomBytes, timingSafeEqual } from 'node:crypto';
import { second } from '@tallyhook/platform/durations';
import { hmacSha256 } from '@tallyhook/platform/hmac';
import { parseJson } from '@tallyhook/platform/json';
import { reserialised } from '../signed-form.ts';
import {
  chooseScheme,
  decodeKey,
  mismatch,
  missing,
  type ReadHeader,
  readJws,
  readSignature,
  rejectFuture,
  type Scheme,
  type SignatureScheme,
  type SignedContent,
  textAround,
  type Unauthentic,
} from './scheme.ts';
import type { Site } from './site.ts';

/** The secrets that are valid at an address. */
export interface Credentials {
  readonly secrets: readonly string[];
  /** What senders may send in place of a signature, where a site has that (see {@link TokenScheme}); none by default. */
  readonly authorizations?: readonly string[];
}

/** A delivery whose sender is known. */
export interface AuthenticDelivery {
  readonly scheme: Scheme;
  /** The place of its secret or authorization among the credentials; -1 if the scheme has none. */
  readonly credential: number;
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
  credentials: Credentials,
  now: number,
): Unauthentic | null {
  const read = readHeaders(site, readHeader, credentials, now);
  return 'error' in read ? read : null;
}

/** What the headers say of the sender, which a signature has yet to prove. */
interface SenderHeaders {
  readonly scheme: Scheme;
  /** The place of the secret that the headers contain; -1 without one. */
  readonly credential: number;
  /** Null unless the signature is in a header. */
  readonly signed: SignedContent | null;
}

function readHeaders(
  site: Site,
  readHeader: ReadHeader,
  { secrets, authorizations = [] }: Credentials,
  now: number,
): SenderHeaders | Unauthentic {
  const scheme = chooseScheme(site.schemes, readHeader);
  if (scheme === null) return missing(site);
  switch (scheme.type) {
    case 'token': {
      const accepted = scheme.replacesSignature ? authorizations : secrets;
      const credential = findToken(scheme.prefix, readHeader(scheme.header) ?? '', accepted);
      if (credential !== -1) return { scheme, credential, signed: null };
      return scheme.replacesSignature ? missing(site) : mismatch(site);
    }
    case 'signature': {
      const signed = readSignature(site, scheme, readHeader);
      return 'error' in signed ? signed : (rejectFuture(signed.signedAt, now) ?? { scheme, credential: -1, signed });
    }
    case 'jws':
    case 'none':
      return { scheme, credential: -1, signed: null };
  }
}

/** Tries all secrets, each in constant time. Never throws. */
export function authenticate(
  site: Site,
  { readHeader, body }: { readonly readHeader: ReadHeader; readonly body: Buffer },
  credentials: Credentials,
  now: number,
): AuthenticDelivery | Unauthentic {
  const read = readHeaders(site, readHeader, credentials, now);
  if ('error' in read) return read;
  const { scheme } = read;
  const text = body.toString('utf8');
  switch (scheme.type) {
    case 'token':
    case 'none':
      return { scheme, credential: read.credential, content: text, signedAt: null };
    case 'signature':
    case 'jws': {
      const signed = read.signed ?? readJws(text);
      if ('error' in signed) return signed;
      const { signedAt } = signed;
      const keyForm = scheme.type === 'signature' ? scheme.key : 'text';
      const credential = findSigner(signed, body, credentials.secrets, keyForm);
      if (credential !== -1) return { scheme, credential, content: signed.content ?? text, signedAt };
      const content = scheme.type === 'signature' && scheme.mayCoverJson ? reserialised(parseJson(text)) : null;
      if (content === null || content === text) return mismatch(site);
      const signer = findSigner(signed, content, credentials.secrets, keyForm);
      return signer === -1 ? mismatch(site) : { scheme, credential: signer, content, signedAt };
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
      const { header, value, timestamp, idHeader, encoding } = scheme;
      const time = String(timestamp?.unit === 'ms' ? now : Math.floor(now / second));
      const id = idHeader === null ? '' : `msg_${randomBytes(12).toString('hex')}`;
      const [before, after] = textAround(scheme, time, id);
      const digest = hmacSha256(keyBytes(secret, scheme.key), before + body + after).toString(
        encoding === 'base64' ? encoding : 'hex',
      );
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
      return { headers: {}, body: `${message}.${hmacSha256(secret, message).toString('base64url')}` };
    }
    case 'none':
      return { headers: {}, body };
  }
}

function toBase64url(part: object | string): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** The place of the secret with which a body is signed; -1 if it is none of them. */
function findSigner(
  { around: [before, after], message, signatures }: SignedContent,
  body: Buffer | string,
  secrets: readonly string[],
  keyForm: SignatureScheme['key'],
): number {
  const expected = signatures.map((signature) => Buffer.from(signature, 'hex'));
  const isSigner = (secret: string) => {
    const key = keyBytes(secret, keyForm);
    // Anybody can sign with an empty key.
    if (key.length === 0) return false;
    const digest = message === null ? hmacSha256(key, before, body, after) : hmacSha256(key, message);
    return expected.some((each) => timingSafeEqual(each, digest));
  };
  return secrets.findIndex(isSigner);
}

const keyBytes = (secret: string, form: SignatureScheme['key']) => (form === 'text' ? secret : decodeKey(secret));

/** Digests of a random key have one length, and a sender who guesses learns nothing from them. */
const digestKey = randomBytes(32);

function findToken(prefix: string, value: string, secrets: readonly string[]): number {
  const received = hmacSha256(digestKey, value);
  return secrets.findIndex((secret) => timingSafeEqual(hmacSha256(digestKey, prefix, secret), received));
}
