import { createHash, createHmac } from 'node:crypto';
import { hmacSha256Hex, isEqualText, sha256Hex } from '@tallyhook/platform/sha256';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sign as ofReceiver } from '../../src/exports/receiver.ts';
import { sign as ofSandbox } from '../../src/exports/sandbox.ts';
import { sign as ofVerify } from '../../src/exports/verify.ts';
import { sign as ofRoot } from '../../src/index.ts';
import { sign } from '../../src/webhook/sign.ts';

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

  // Test cases 1, 2, 3, 4, 6 and 7.
  it.each([
    ['0b'.repeat(20), '4869205468657265', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      '4a656665',
      '7768617420646f2079612077616e7420666f72206e6f7468696e673f',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    [
      '0102030405060708090a0b0c0d0e0f10111213141516171819',
      'cd'.repeat(50),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
    [
      'aa'.repeat(131),
      Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First').toString('hex'),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      'aa'.repeat(131),
      Buffer.from(
        'This is a test using a larger than block-size key and a larger than block-size data. ' +
          'The key needs to be hashed before being used by the HMAC algorithm.',
      ).toString('hex'),
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ])('has the results of RFC 4231: %s', (key, data, expected) => {
    expect(hmacSha256Hex(Buffer.from(key, 'hex'), Buffer.from(data, 'hex'))).toBe(expected);
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
