import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHmacKey, createSignedMessage } from '../../src/webhook/secret-index.ts';

function hmac(secret: string, message: Uint8Array | string): string {
  return createHmac('sha256', secret).update(message).digest('hex');
}

describe('a signed message', () => {
  it('is accepted with its secret and only with that, for any secret and message', () => {
    const longSecret = fc.string({ unit: 'grapheme', minLength: 60, maxLength: 200 });
    const anySecret = fc.oneof(fc.string({ unit: 'grapheme' }), longSecret);
    fc.assert(
      fc.property(anySecret, fc.uint8Array({ maxLength: 300 }), (secret, message) => {
        const signed = createSignedMessage(message, hmac(secret, message));
        const keys = [`${secret}x`, secret, `x${secret}`, secret].map(createHmacKey);
        expect(keys.map(signed.isSignedWith)).toEqual([false, true, false, true]);
        const longer = createSignedMessage(Buffer.concat([message, Buffer.of(0)]), hmac(secret, message));
        expect(longer.isSignedWith(createHmacKey(secret))).toBe(false);
      }),
    );
  });

  it('is accepted with a secret around the block length, from which on HMAC uses the digest of the secret', () => {
    for (const length of [63, 64, 65]) {
      const secret = 'k'.repeat(length);
      const key = createHmacKey(secret);
      expect(createSignedMessage('é', hmac(secret, 'é')).isSignedWith(key), String(length)).toBe(true);
      expect(createSignedMessage('e', hmac(secret, 'é')).isSignedWith(key), String(length)).toBe(false);
    }
  });

  it('is accepted when other messages are checked with the same key in between', () => {
    const key = createHmacKey('secret');
    const first = createSignedMessage('first', hmac('secret', 'first'));
    const second = createSignedMessage('second, which is longer', hmac('secret', 'second, which is longer'));
    expect([first, second, first, second].map(({ isSignedWith }) => isSignedWith(key))).toEqual(Array(4).fill(true));
  });

  it('differs in each digit of its signature', () => {
    const signature = hmac('secret', 'body');
    for (const index of signature.split('').keys()) {
      const digit = signature[index] === '0' ? '1' : '0';
      const changed = signature.slice(0, index) + digit + signature.slice(index + 1);
      expect(createSignedMessage('body', changed).isSignedWith(createHmacKey('secret')), changed).toBe(false);
    }
  });
});
