/*
 * How sites authenticate their deliveries, as data: one check for Node (`authenticate.ts`) and one for the web can carry
 * it out, and `signDelivery` has all that it needs. All signatures are HMAC-SHA256.
 */

/** A signature in a header. */
export interface SignatureScheme {
  readonly type: 'signature';
  /** In lower case. */
  readonly header: string;
  /**
   * How the header's value is written. `plain`: the prefix, then the digest. `timed`: `t=<seconds>,v1=<digest>`.
   * `versioned`: `v1,<digest>` for each valid secret, separated by spaces, among those of other versions.
   */
  readonly value: 'plain' | 'timed' | 'versioned';
  readonly prefix: string;
  /** How the digest is written; `hex` in either case. */
  readonly encoding: 'hex' | 'lowercase hex' | 'base64';
  /** What is signed: `{timestamp}` and `{id}` around `{body}`, which stands for the raw bytes. */
  readonly signed: string;
  /** Where `{timestamp}` is, unless the value of the signature has it; null without one. */
  readonly timestamp: { readonly header: string; readonly unit: 's' | 'ms' } | null;
  /** The header with `{id}`; null without one. */
  readonly idHeader: string | null;
  /** `text`: the secret is the key. `base64`: it is the key in base64, behind `whsec_`. */
  readonly key: 'text' | 'base64';
  /** Whether the signature may cover the JSON of the body as `JSON.stringify` writes it, in place of the bytes. */
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

/** The scheme that the headers choose: the first whose header is present, be it empty. Null without any. */
export function chooseScheme(schemes: readonly Scheme[], readHeader: ReadHeader): Scheme | null {
  return schemes.find((scheme) => !('header' in scheme) || readHeader(scheme.header) !== undefined) ?? null;
}
