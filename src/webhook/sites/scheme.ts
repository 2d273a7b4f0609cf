import { day } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import { clockToleranceMs, isObject, readField } from '../fields.ts';
import { reserialised } from '../signed-form.ts';

/*
 * How sites authenticate their deliveries, as data, and the check for Node and for the web, which have different digests.
 * All signatures are HMAC-SHA256.
 */

/** A signature in a header. */
export interface SignatureScheme {
  readonly type: 'signature';
  /** In lower case. */
  readonly header: string;
  /**
   * The form of the header's value. `plain`: the prefix, then the digest. `timed`: `t=<seconds>,v1=<digest>`.
   * `versioned`: `v1,<digest>` for each valid secret, separated by spaces, among those of other versions.
   */
  readonly value: 'plain' | 'timed' | 'versioned';
  readonly prefix: string;
  /** How the digest is written; `hex` in either case. */
  readonly encoding: 'hex' | 'lowercase hex' | 'base64';
  /** The signed text: `{timestamp}` and `{id}` around `{body}`, which stands for the raw bytes. */
  readonly signed: string;
  /** Where `{timestamp}` is, unless the value of the signature has it; null without one. */
  readonly timestamp: { readonly header: string; readonly unit: 's' | 'ms' } | null;
  /** The header with `{id}`; null without one. */
  readonly idHeader: string | null;
  /** `text`: the secret is the key. `base64`: it is the key in base64, behind `whsec_`. */
  readonly key: 'text' | 'base64';
  /** True if the signature may cover the JSON of the body as `JSON.stringify` writes it, in place of the bytes. */
  readonly mayCoverJson?: true;
}

/** The secret itself in a header, behind a prefix of the site's. Who sees one request can forge any other. */
export interface TokenScheme {
  readonly type: 'token';
  readonly header: string;
  readonly prefix: string;
  /** The token is no secret of the webhook, but a value that an owner accepts in place of a signature. */
  readonly replacesSignature?: true;
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

const plain = {
  type: 'signature',
  value: 'plain',
  prefix: '',
  encoding: 'hex',
  signed: '{body}',
  timestamp: null,
  idHeader: null,
  key: 'text',
} as const satisfies Partial<SignatureScheme>;

/** A signature of the body, as hex digits unless `differences` states otherwise. @param header in lower case */
export const signature = (header: string, differences: Partial<SignatureScheme> = {}): SignatureScheme => ({
  ...plain,
  ...differences,
  header,
});

/** `t=<seconds>,v1=<hex digits>`, of the time and the body. @param header in lower case */
export const timedSignature = (header: string): SignatureScheme =>
  signature(header, { value: 'timed', signed: '{timestamp}.{body}' });

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const standardWebhooks: SignatureScheme = signature('webhook-signature', {
  value: 'versioned',
  encoding: 'base64',
  signed: '{id}.{timestamp}.{body}',
  timestamp: { header: 'webhook-timestamp', unit: 's' },
  idHeader: 'webhook-id',
  key: 'base64',
});

export const token = (header = 'authorization', prefix = ''): TokenScheme => ({ type: 'token', header, prefix });

/** The value of a header by its lower-case name; undefined if it is missing. */
export type ReadHeader = (name: string) => string | undefined;

/** Signed text and signatures, of a header or body that has the form of the scheme. */
interface SignedContent {
  /** The signed text in front of the body, and behind it. */
  readonly around: readonly [before: string, after: string];
  /** The signed text; null for the bytes of the body, with what is around it. */
  readonly message: string | null;
  /** Each 64 lowercase hex digits; one of them has to be right. */
  readonly signatures: readonly string[];
  /** When it was signed (ms since the epoch); null if the signature covers no time. */
  readonly signedAt: number | null;
  /** The content of the delivery; null if it is the body. */
  readonly content: string | null;
}

/** More would let a sender have any number of digests compared. */
const maxSignatures = 10;
const digits = {
  /** Case is free where the description of a site says no more than "hex". */
  hex: /^[0-9a-f]{64}$/i,
  'lowercase hex': /^[0-9a-f]{64}$/,
  /** 32 bytes: without the padding of the last digit, which carries two bits too many. Also base64url. */
  base64: /^[\w+/-]{43}=?$/,
};
const times = { s: { pattern: /^\d{1,11}$/, ms: 1_000 }, ms: { pattern: /^\d{1,14}$/, ms: 1 } };
const timedValue = /^t=(\d{1,11}),v1=([0-9a-f]{64})$/;

/** Rejects headers that do not have the form of the scheme, also if they are empty. */
function readSignature(
  { errors }: Pick<SiteWithErrors, 'errors'>,
  scheme: SignatureScheme,
  readHeader: ReadHeader,
): SignedContent | Unauthentic {
  const { header, value: form, timestamp, idHeader } = scheme;
  const value = readHeader(header) ?? '';
  const timed = form === 'timed' ? timedValue.exec(value) : null;
  const written = form === 'timed' ? (timed?.slice(2) ?? []) : digestsIn(scheme, value);
  const signatures = written.flatMap((digest) => toHex(digest, scheme.encoding) ?? []);
  if (signatures.length === 0) {
    const rejected = malformed(header);
    return errors?.malformed === undefined ? rejected : { ...rejected, error: errors.malformed };
  }
  const time = timed?.[1] ?? (timestamp === null ? null : (readHeader(timestamp.header) ?? ''));
  const { pattern, ms } = times[timestamp?.unit ?? 's'];
  if (time !== null && !pattern.test(time))
    return malformed(timestamp?.header ?? header, 'has no time, which is signed');
  const id = idHeader === null ? '' : (readHeader(idHeader) ?? '');
  if (idHeader !== null && id === '') return malformed(idHeader, 'has no id, which is signed');
  const signedAt = time === null ? null : Number(time) * ms;
  return { around: textAround(scheme, time ?? '', id), message: null, signatures, signedAt, content: null };
}

/** The signed text in front of the body, and behind it. */
export function textAround(
  { signed }: SignatureScheme,
  timestamp: string,
  id: string,
): [before: string, after: string] {
  if (signed === '{body}') return ['', ''];
  const [before = '', after = ''] = signed.split('{body}');
  const fill = (text: string) => text.replaceAll('{timestamp}', () => timestamp).replaceAll('{id}', () => id);
  return [fill(before), fill(after)];
}

function digestsIn({ value: form, prefix }: SignatureScheme, value: string): readonly string[] {
  if (form === 'plain') return value.startsWith(prefix) ? [value.slice(prefix.length)] : [];
  const ofVersion1 = value.split(' ', maxSignatures).filter((each) => each.startsWith('v1,'));
  return ofVersion1.map((each) => each.slice('v1,'.length));
}

function toHex(digest: string, encoding: SignatureScheme['encoding']): string | null {
  if (!digits[encoding].test(digest)) return null;
  return encoding === 'base64' ? hexOf(bytesOf(digest)) : digest.toLowerCase();
}

const jwsPattern = /^[\w-]+\.[\w-]+\.[\w-]{43}$/;

/** Rejects anything but a JWS in compact form whose algorithm is HS256; `none` is another one. */
export function readJws(body: string): SignedContent | Unauthentic {
  if (!jwsPattern.test(body)) return notJws();
  const [head = '', payload = '', digest = ''] = body.split('.', 3);
  const parsedHead = parseJson(textOf(head));
  if (!isObject(parsedHead) || readField(parsedHead, 'alg') !== 'HS256') return notJws();
  const signatures = [hexOf(bytesOf(digest))];
  return { around: ['', ''], message: `${head}.${payload}`, signatures, signedAt: null, content: textOf(payload) };
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The bytes of base64 or base64url, by what every runtime has. Empty for a text that is neither. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function textOf(base64url: string): string {
  return new TextDecoder().decode(bytesOf(base64url));
}

const standardPrefix = 'whsec_';
/** A key of at least 16 bytes, in base64. */
const keyPattern = /^[\w+/-]{22,}={0,2}$/;

/** The key of a secret. Empty for a text that is not the key in base64, with or without its prefix, where it should be. */
export function keyBytes(secret: string, form: SignatureScheme['key']): string | Uint8Array {
  if (form === 'text') return secret;
  const key = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret;
  return keyPattern.test(key) ? bytesOf(key) : new Uint8Array();
}

/** Digests of the runtime. */
interface Digests {
  /** HMAC-SHA256 of parts that follow each other, as 64 lowercase hex digits. */
  hmac(key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): string;
  /** Compares two digests in constant time. */
  isEqual(one: string, other: string): boolean;
}

/** The secrets that are valid at an address. */
export interface Credentials {
  readonly secrets: readonly string[];
  /** Values that senders may send in place of a signature, where a site has that (see {@link TokenScheme}); none by default. */
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

/** The sender by the headers, which a signature has yet to prove. */
interface SenderHeaders {
  readonly scheme: Scheme;
  /** The place of the secret that the headers contain; -1 without one. */
  readonly credential: number;
  /** Null unless the signature is in a header. */
  readonly signed: SignedContent | null;
}

type AuthenticatedSite = SiteWithErrors & { readonly schemes: readonly Scheme[] };

/** Decodes bytes like Node's buffers, which keep a byte-order mark. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function createAuthentication({ hmac, isEqual }: Digests) {
  /** Digests of a random key have one length, and a sender who guesses learns nothing from them. */
  const digestKey = crypto.getRandomValues(new Uint8Array(32));

  function findToken(prefix: string, value: string, secrets: readonly string[]): number {
    const received = hmac(digestKey, value);
    return secrets.findIndex((secret) => isEqual(hmac(digestKey, prefix, secret), received));
  }

  /** The place of the secret with which a body is signed; -1 if it is none of them. */
  function findSigner(
    { around: [before, after], message, signatures }: SignedContent,
    body: Uint8Array | string,
    secrets: readonly string[],
    keyForm: SignatureScheme['key'],
  ): number {
    return secrets.findIndex((secret) => {
      const key = keyBytes(secret, keyForm);
      // Anybody can sign with an empty key.
      if (key.length === 0) return false;
      const digest = message === null ? hmac(key, before, body, after) : hmac(key, message);
      return signatures.some((signature) => isEqual(signature, digest));
    });
  }

  function readHeaders(
    site: AuthenticatedSite,
    readHeader: ReadHeader,
    { secrets, authorizations = [] }: Credentials,
    now: number,
  ): SenderHeaders | Unauthentic {
    const scheme = site.schemes.find((each) => !('header' in each) || readHeader(each.header) !== undefined);
    if (scheme === undefined) return missing(site);
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

  return {
    /**
     * The rejection of a delivery that no body can authenticate; null if the body decides. Then nothing was compared with
     * a secret, unless the secret itself is in a header.
     */
    rejectByHeaders(site: AuthenticatedSite, ...sender: [ReadHeader, Credentials, now: number]): Unauthentic | null {
      const read = readHeaders(site, ...sender);
      return 'error' in read ? read : null;
    },
    /**
     * Tries all secrets, each in constant time. Never throws.
     * @param delivery.body null if only its parsed form is left and cannot be serialised, so that no signature is valid
     */
    authenticate(
      site: AuthenticatedSite,
      { readHeader, body }: { readonly readHeader: ReadHeader; readonly body: Uint8Array | null },
      credentials: Credentials,
      now: number,
    ): AuthenticDelivery | Unauthentic {
      const read = readHeaders(site, readHeader, credentials, now);
      if ('error' in read) return read;
      const { scheme } = read;
      const text = body === null ? '' : decoder.decode(body);
      if (scheme.type === 'token' || scheme.type === 'none')
        return { scheme, credential: read.credential, content: text, signedAt: null };
      const signed = read.signed ?? readJws(text);
      if ('error' in signed) return signed;
      if (body === null) return mismatch(site);
      const { signedAt } = signed;
      const { secrets } = credentials;
      const keyForm = scheme.type === 'signature' ? scheme.key : 'text';
      const credential = findSigner(signed, body, secrets, keyForm);
      if (credential !== -1) return { scheme, credential, content: signed.content ?? text, signedAt };
      const content = scheme.type === 'signature' && scheme.mayCoverJson ? reserialised(parseJson(text)) : null;
      if (content === null || content === text) return mismatch(site);
      const signer = findSigner(signed, content, secrets, keyForm);
      return signer === -1 ? mismatch(site) : { scheme, credential: signer, content, signedAt };
    },
  };
}

/** A site by its name, and what its senders read; by default sentences for any site. */
export interface SiteWithErrors {
  readonly name: string;
  /** If a signature has no valid form, or is not valid. */
  readonly errors?: { readonly malformed: string; readonly mismatch?: string };
}

/** Why a delivery is not authentic. For the sender, so it reveals nothing about the secrets. */
export interface Unauthentic {
  readonly code: 'webhook_signature_missing' | 'webhook_signature_malformed' | 'webhook_signature_mismatch';
  readonly error: string;
}

function rejectFuture(signedAt: number | null, now: number): Unauthentic | null {
  return signedAt !== null && signedAt > now + clockToleranceMs
    ? { code: 'webhook_signature_mismatch', error: 'The time of the signature is more than 5 minutes ahead.' }
    : null;
}

/** An older signature is not processed: a captured delivery whose vote was lost would count otherwise (ms). */
const maxSignatureAgeMs = day;

export const oldSignature = 'the signature is older than a day';

/** Times are ms since the epoch; null if it is not known when a delivery was signed. */
export function isOldSignature(signedAt: number | null, now: number): boolean {
  return signedAt !== null && signedAt < now - maxSignatureAgeMs;
}

export function missing({ name, schemes }: AuthenticatedSite): Unauthentic {
  const headers = schemes.flatMap((scheme) =>
    'header' in scheme && !('replacesSignature' in scheme) ? scheme.header : [],
  );
  const hasToken = schemes.some((scheme) => scheme.type === 'token' && !scheme.replacesSignature);
  const hint = hasToken ? ` Enter the secret of the listing at ${name}.` : '';
  return { code: 'webhook_signature_missing', error: `The header ${headers.join(' or ')} is missing.${hint}` };
}

/** @param wrong continues a sentence */
export function malformed(header: string, wrong = 'does not have the form of a signature'): Unauthentic {
  return { code: 'webhook_signature_malformed', error: `The header ${header} ${wrong}.` };
}

function notJws(): Unauthentic {
  const error = 'The body is not a JSON Web Signature with the algorithm HS256.';
  return { code: 'webhook_signature_malformed', error };
}

export function mismatch({ name, errors }: SiteWithErrors): Unauthentic {
  const hint = 'and check for a trailing space or line break.';
  const error = `No secret of this listing matches. Compare it with the one at ${name}, ${hint}`;
  return { code: 'webhook_signature_mismatch', error: errors?.mismatch ?? error };
}
