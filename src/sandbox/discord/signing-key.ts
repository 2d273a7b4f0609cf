import { generateKeyPairSync, sign } from 'node:crypto';

/** The key pair of an application, with which Discord signs interactions over HTTP. */
export interface SigningKey {
  /** 64 hexadecimal digits, as in `verify_key` of the application. */
  readonly publicKey: string;
  /** The headers of a request with this body, signed at `now` (ms since the epoch). */
  headersFor(body: string, now: number): Readonly<Record<string, string>>;
}

/** A new Ed25519 key pair. */
export function createSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    publicKey: Buffer.from(x, 'base64url').toString('hex'),
    headersFor(body, now) {
      const timestamp = String(Math.floor(now / 1_000));
      return {
        'content-type': 'application/json',
        'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
        'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), privateKey).toString('hex'),
        'x-signature-timestamp': timestamp,
      };
    },
  };
}
