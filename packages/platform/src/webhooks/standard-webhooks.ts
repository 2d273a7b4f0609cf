import { createHmac } from 'node:crypto';
import { second } from '../durations.ts';

/*
 * The headers of https://www.standardwebhooks.com, beside that of the document, so that receivers can verify deliveries
 * with its libraries. These take a secret as `whsec_` and the key in base64.
 */

const prefix = 'whsec_';
const standardForm = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** False for a secret with the prefix alone of the standard form: the libraries reject it. */
export function isVerifiable(secret: string): boolean {
  return !secret.startsWith(prefix) || standardForm.test(secret);
}

/** The bytes of a secret in the standard form, and the characters of any other. */
function keyOf(secret: string): Buffer {
  const [, base64] = standardForm.exec(secret) ?? [];
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, 'base64');
}

/** The secret as the libraries take it. */
export function standardSecret(secret: string): string {
  return prefix + keyOf(secret).toString('base64');
}

/**
 * The headers of an attempt at `now` (ms since the epoch). The id is the same for each attempt, and the libraries reject
 * a time that is more than five minutes off.
 * @param secrets all that are valid: the receiver may have any of them
 */
export function standardHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const messageId = `msg_${id}`;
  const timestamp = String(Math.floor(now / second));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', keyOf(secret)).update(`${messageId}.${timestamp}.${body}`).digest('base64');
    return `v1,${digest}`;
  });
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
