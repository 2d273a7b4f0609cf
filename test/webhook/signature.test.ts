import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedWith, sign } from '../../src/webhook/signature.ts';
import { isSignature, reserialised } from '../../src/webhook/signed-form.ts';

describe('a signature', () => {
  it('is the lowercase hex HMAC-SHA256 of the bytes', () => {
    const body = '{"userId":"1"}';
    expect(sign(body, 'secret')).toBe(createHmac('sha256', 'secret').update(body).digest('hex'));
  });

  it('is valid for the same secret and any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ minLength: 1 }), (body, secret) => {
        expect(isSignedWith(secret, body, sign(body, secret))).toBe(true);
      }),
    );
  });

  it('is invalid in any other format, without an exception', () => {
    fc.assert(
      fc.property(fc.string(), (signature) => {
        expect(isSignedWith('secret', 'body', signature)).toBe(false);
      }),
    );
    expect(isSignedWith('secret', 'body', sign('body', 'secret').toUpperCase())).toBe(false);
  });

  it('is invalid for another body or another secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (body, secret, more) => {
        expect(isSignedWith(secret, body + more, sign(body, secret))).toBe(false);
        expect(isSignedWith(secret, body, sign(body, `x${secret}${more}`))).toBe(false);
      }),
    );
  });

  it('has exactly 64 lowercase hex digits', () => {
    const valid = sign('a', 'b');
    expect(isSignature(valid)).toBe(true);
    for (const invalid of [
      undefined,
      '',
      valid.toUpperCase(),
      valid.slice(1),
      `${valid}0`,
      ` ${valid}`,
      `sha256=${valid}`,
      `${valid}\n`,
    ]) {
      expect(isSignature(invalid), JSON.stringify(invalid)).toBe(false);
    }
  });

  it('may cover the payload serialised again, unless that is not JSON or nested too deeply', () => {
    expect(reserialised({ a: 1 })).toBe('{"a":1}');
    expect(reserialised(undefined)).toBe(null);
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(reserialised(nested(100))).toHaveLength(200);
    // Serialising 3,000 levels would take time quadratic in the depth; 30,000 would overflow the stack.
    for (const levels of [101, 3_000, 30_000]) expect(reserialised(nested(levels)), String(levels)).toBe(null);
  });
});
