import { randomBytes } from 'node:crypto';
import { second } from '@tallyhook/platform/durations';
import { digests, hmacSha256 } from '@tallyhook/platform/hmac';
import { createAuthentication, keyBytes, type Scheme, textAround } from './scheme.ts';

/** The authentication of the receiver, by Node's own digests. */
export const { authenticate, rejectByHeaders } = createAuthentication(digests);

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
