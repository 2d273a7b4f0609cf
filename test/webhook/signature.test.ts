import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVerifier, isSignature, isSignedWith, reserialised, sign } from '../../src/webhook/signature.ts';

describe('a signature', () => {
  it('is the lowercase hex HMAC-SHA256 of the bytes', () => {
    const body = '{"userId":"1"}';
    expect(sign(body, 'secret')).toBe(createHmac('sha256', 'secret').update(body).digest('hex'));
  });

  it('is accepted by the verifier of its secret and only by that, for any secret and body', () => {
    const longSecret = fc.string({ unit: 'grapheme', minLength: 60, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'grapheme' }), longSecret),
        fc.uint8Array({ maxLength: 300 }),
        (secret, body) => {
          const signature = createHmac('sha256', secret).update(body).digest('hex');
          expect(sign(body, secret)).toBe(signature);
          expect(createVerifier(secret)(body, signature)).toBe(true);
          expect(createVerifier(`${secret}x`)(body, signature)).toBe(false);
          expect(createVerifier(secret)(Buffer.concat([body, Buffer.of(0)]), signature)).toBe(false);
        },
      ),
    );
    // Around the block length of SHA-256 (64 bytes), from which on HMAC uses the digest of the secret.
    for (const length of [63, 64, 65]) {
      const secret = 'k'.repeat(length);
      const signature = createHmac('sha256', secret).update('é').digest('hex');
      expect(sign('é', secret)).toBe(signature);
      const verify = createVerifier(secret);
      expect([verify('é', signature), verify('e', signature), verify('é', signature)]).toEqual([true, false, true]);
    }
  });

  it('is valid for the same secret and any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (body, secret) => {
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
      fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (body, secret, more) => {
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
    expect(reserialised('{ "a" : 1 }')).toBe('{"a":1}');
    expect(reserialised('not json')).toBe(null);
    const nested = (levels: number) => `[ ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`;
    expect(reserialised(nested(100))).toHaveLength(200);
    // Serialising 3,000 levels would take time quadratic in the depth; 30,000 would overflow the stack.
    for (const levels of [101, 3_000, 30_000]) expect(reserialised(nested(levels)), String(levels)).toBe(null);
  });
});
