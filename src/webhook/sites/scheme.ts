import { parseJson } from '../../platform/json.ts';
import { isObject, readField } from '../fields.ts';

/*
 * How sites authenticate their deliveries, as data: one check for Node (`authenticate.ts`) and one for the web can carry
 * it out, and `sign` has all that it needs. All signatures are HMAC-SHA256 keyed with the complete secret.
 */

/** A signature in a header. */
export interface SignatureScheme {
  readonly type: 'signature';
  /** In lower case. */
  readonly header: string;
  /** Of the header's value, which ends in the digits. */
  readonly prefix: string;
  /** Whether the value is `t=<seconds>,v1=<digits>`, and `<seconds>.` is signed in front of the body. */
  readonly timed: boolean;
}

/** The secret itself in a header, behind a prefix of the site's. Who sees one request can forge any other. */
export interface TokenScheme {
  readonly type: 'token';
  readonly header: string;
  readonly prefix: string;
}

/** The body is a JSON Web Signature with the algorithm HS256, and its payload the content of the delivery. */
export interface JwsScheme {
  readonly type: 'jws';
}

/** Everybody who knows the address may send. */
export interface NoScheme {
  readonly type: 'none';
}

export type Scheme = SignatureScheme | TokenScheme | JwsScheme | NoScheme;

export const signature = (header: string, prefix = ''): SignatureScheme => ({
  type: 'signature',
  header,
  prefix,
  timed: false,
});

export const timedSignature = (header: string): SignatureScheme => ({
  type: 'signature',
  header,
  prefix: '',
  timed: true,
});

export const token = (header = 'authorization', prefix = ''): TokenScheme => ({ type: 'token', header, prefix });

/** The value of a header by its lower-case name; undefined if it is missing. */
export type ReadHeader = (name: string) => string | undefined;

/** The scheme that the headers choose: the first whose header is present, be it empty. Null without any. */
export function chooseScheme(schemes: readonly Scheme[], readHeader: ReadHeader): Scheme | null {
  return schemes.find((scheme) => !('header' in scheme) || readHeader(scheme.header) !== undefined) ?? null;
}

/** What is signed and how, in a header or body that has the form of the scheme. */
export interface SignedContent {
  /** Precedes the body in the message; null if `message` is all of it. */
  readonly lead: string;
  /** The signed text; null for the bytes of the body behind `lead`. */
  readonly message: string | null;
  /** 64 lowercase hex digits. */
  readonly signature: string;
  /** When it was signed (ms since the epoch); null if the signature covers no time. */
  readonly signedAt: number | null;
  /** The content of the delivery; null if it is the body. */
  readonly content: string | null;
}

/** Of a signature. */
const digitCount = 64;
const hexDigits = /^[0-9a-f]{64}$/;
const timedValue = /^t=\d{1,11},v1=[0-9a-f]{64}$/;

/** Null if the header does not have the form of the scheme, also if it is empty. */
export function readSignature(scheme: SignatureScheme, value: string): SignedContent | null {
  if (scheme.timed) {
    if (!timedValue.test(value)) return null;
    const seconds = value.slice('t='.length, value.indexOf(','));
    const signature = value.slice(-digitCount);
    return { lead: `${seconds}.`, message: null, signature, signedAt: Number(seconds) * 1_000, content: null };
  }
  const digits = value.startsWith(scheme.prefix) ? value.slice(scheme.prefix.length) : '';
  if (!hexDigits.test(digits)) return null;
  return { lead: '', message: null, signature: digits, signedAt: null, content: null };
}

/** Without the padding of the last digit, which carries two bits too many. */
const jwsPattern = /^[\w-]+\.[\w-]+\.[\w-]{43}$/;

/** Null for anything but a JWS in compact form whose algorithm is HS256; `none` is another one. */
export function readJws(body: string): SignedContent | null {
  if (!jwsPattern.test(body)) return null;
  const [head = '', payload = '', digest = ''] = body.split('.', 3);
  const parsedHead = parseJson(textOf(head));
  if (!isObject(parsedHead) || readField(parsedHead, 'alg') !== 'HS256') return null;
  const digits = Array.from(bytesOf(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { lead: '', message: `${head}.${payload}`, signature: digits, signedAt: null, content: textOf(payload) };
}

/** The bytes of base64url, by what every runtime has. Empty for a text that is none. */
function bytesOf(base64url: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function textOf(base64url: string): string {
  return new TextDecoder().decode(bytesOf(base64url));
}
