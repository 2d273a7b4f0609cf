import { createHash, createHmac } from 'node:crypto';
import { hmacSha256Hex, isEqualText, sha256Hex } from '@tallyhook/platform/sha256';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sign as ofReceiver } from '../../src/exports/receiver.ts';
import { sign as ofSandbox } from '../../src/exports/sandbox.ts';
import { sign as ofVerify } from '../../src/exports/verify.ts';
import { sign as ofRoot } from '../../src/index.ts';
import { sign } from '../../src/webhook/sign.ts';
import { isSignedWith } from '../../src/webhook/signature.ts';
import { isSignature, reserialised } from '../../src/webhook/signed-form.ts';

const hmac = (secret: Uint8Array | string, message: Uint8Array | string) =>
  createHmac('sha256', secret).update(message).digest('hex');

describe('SHA-256', () => {
  it('is that of Node, for every length around the blocks', () => {
    for (let length = 0; length < 260; length += 1) {
      const text = String.fromCharCode(length % 128).repeat(length);
      expect(sha256Hex(text), String(length)).toBe(createHash('sha256').update(text).digest('hex'));
    }
  });

  it('is that of Node, for any text, secret and message', () => {
    const secret = fc.oneof(fc.string(), fc.uint8Array({ maxLength: 200 }));
    fc.assert(
      fc.property(secret, fc.uint8Array({ maxLength: 1_000 }), fc.string({ unit: 'binary' }), (key, message, text) => {
        expect(hmacSha256Hex(key, message)).toBe(hmac(key, message));
        expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });

  it('compares texts', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => isEqualText(a, b) === (a === b)));
    expect(isEqualText('same', ['sa', 'me'].join(''))).toBe(true);
  });
});

describe('sign', () => {
  it('is the same function in every entry', () => {
    for (const each of [ofRoot, ofVerify, ofReceiver, ofSandbox]) expect(each).toBe(sign);
  });

  it('returns the digits at once, for a text, bytes or a payload', () => {
    const payload = { event: 'server_vote', userId: '42' };
    const text = JSON.stringify(payload);
    const expected = hmac('secr\u00e9t', text);
    const bytes = new TextEncoder().encode(text);
    for (const body of [text, bytes, Buffer.from(text), bytes.buffer, new DataView(bytes.buffer), payload])
      expect(sign(body, 'secr\u00e9t')).toBe(expected);
    for (const odd of ['', '\u{1f600}', '\ud800']) expect(sign(odd, 'secret')).toBe(hmac('secret', odd));
  });

  it('never signs with no secret, nor what is not there yet', () => {
    for (const secret of ['', undefined, null, 5] as string[])
      expect(() => sign('{}', secret)).toThrow(expect.objectContaining({ code: 'webhook_secret_missing' }));
    const stream = new Blob(['{}']).stream();
    for (const body of [undefined, stream, new Request('http://x/', { method: 'POST', body: '{}' }).body])
      expect(() => sign(body, 'secret')).toThrow(expect.objectContaining({ code: 'webhook_body_unavailable' }));
    expect(() => sign({ amount: 5n }, 'secret')).toThrow(expect.objectContaining({ code: 'webhook_body_not_json' }));
  });
});

describe('a signature', () => {
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
    const extended = [`${valid}0`, ` ${valid}`, `sha256=${valid}`, `${valid}\n`];
    for (const invalid of [undefined, '', valid.toUpperCase(), valid.slice(1), ...extended])
      expect(isSignature(invalid), JSON.stringify(invalid)).toBe(false);
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
