import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../src/redactor.ts';

const secret = 'p@ss "wörd"/+ 1';

describe('a redactor', () => {
  it.each([
    ['as plain text', secret],
    ['in JSON', JSON.stringify({ secret })],
    ['in a URL', `https://x.example/?key=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ secret }).toString()],
    ['as the password in an address', Object.assign(new URL('postgres://u@h/d'), { password: secret }).href],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in Base64', Buffer.from(secret).toString('base64')],
    ['in a Basic authorization', `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`],
    ['in Base64 for URLs', Buffer.from(`{"a":"${secret}"}`).toString('base64url')],
  ])('removes a secret %s', (_encoding, text) => {
    const redacted = createRedactor([secret])(text);
    expect(redacted).toContain('[secret]');
    expect(redacted).not.toMatch(/p@ss|w(ö|%C3%B6)rd/i);
  });

  it('removes a secret at any position in Base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9 }), fc.uint8Array({ maxLength: 9 }), (before, after) => {
        const encoded = Buffer.concat([before, Buffer.from('a-long-secret'), after]).toString('base64');
        expect(createRedactor(['a-long-secret'])(encoded)).toContain('[secret]');
      }),
    );
  });

  it('removes the tokens of interactions by their place in a URL', () => {
    const redact = createRedactor([]);
    expect(redact('"url":"https://discord.com/api/v10/interactions/12/aW50ZXI-xyz/callback?a=b"')).toBe(
      '"url":"https://discord.com/api/v10/interactions/12/[token]/callback?a=b"',
    );
    expect(redact('/webhooks/34/aW50ZXI/messages/@original')).toBe('/webhooks/34/[token]/messages/@original');
    expect(redact('/webhooks/vote /webhooks/premium')).toBe('/webhooks/vote /webhooks/premium');
  });

  it('accepts more secrets later', () => {
    const redact = createRedactor(['first-secret']);
    redact.add(['second-secret']);
    expect(redact('first-secret second-secret third')).toBe('[secret] [secret] third');
  });

  it('ignores secrets that are too short', () => {
    expect(createRedactor(['abc', ''])('abc')).toBe('abc');
  });
});
