import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignature, isSignedWith, reserialised, sign } from '../../src/webhook/signature.ts';

describe('a signature', () => {
  it('is the lowercase hex HMAC-SHA256 of the bytes', () => {
    const body = '{"userId":"1"}';
    expect(sign(body, 'secret')).toBe(createHmac('sha256', 'secret').update(body).digest('hex'));
  });

  it('is what Node makes it, whatever the secret and the body, a secret longer than a block of the digest among them', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 60, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'grapheme' }), long),
        fc.uint8Array({ maxLength: 300 }),
        (secret, body) => {
          expect(sign(body, secret)).toBe(createHmac('sha256', secret).update(body).digest('hex'));
        },
      ),
    );
    for (const length of [63, 64, 65]) {
      const secret = 'k'.repeat(length);
      expect(sign('é', secret)).toBe(createHmac('sha256', secret).update('é').digest('hex'));
    }
  });

  it('verifies what was signed with the same secret, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (body, secret) => {
        expect(isSignedWith(secret, body, sign(body, secret))).toBe(true);
      }),
    );
  });

  it('verifies nothing that has not the form of a signature, without a throw', () => {
    fc.assert(
      fc.property(fc.string(), (signature) => {
        expect(isSignedWith('secret', 'body', signature)).toBe(false);
      }),
    );
    expect(isSignedWith('secret', 'body', sign('body', 'secret').toUpperCase())).toBe(false);
  });

  it('does not verify another body or another secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (body, secret, more) => {
        expect(isSignedWith(secret, body + more, sign(body, secret))).toBe(false);
        expect(isSignedWith(secret, body, sign(body, `x${secret}${more}`))).toBe(false);
      }),
    );
  });

  it('has 64 lowercase hex digits and no other form', () => {
    const good = sign('a', 'b');
    expect(isSignature(good)).toBe(true);
    for (const bad of [
      undefined,
      '',
      good.toUpperCase(),
      good.slice(1),
      `${good}0`,
      ` ${good}`,
      `sha256=${good}`,
      `${good}\n`,
    ]) {
      expect(isSignature(bad), JSON.stringify(bad)).toBe(false);
    }
  });

  it('may be of the payload serialised anew; what is no JSON, or too deep to serialise, has no such form', () => {
    expect(reserialised('{ "a" : 1 }')).toBe('{"a":1}');
    expect(reserialised('not json')).toBe(null);
    const nested = (levels: number) => `[ ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`;
    expect(reserialised(nested(100))).toHaveLength(200);
    // What does not overflow the stack would take time that grows with the square of its depth.
    for (const levels of [101, 3_000, 30_000]) expect(reserialised(nested(levels)), String(levels)).toBe(null);
  });
});
