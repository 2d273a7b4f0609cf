import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/platform/redactor.ts';

const secret = 'p@ss "wörd"/+ 1';

describe('a redactor', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ secret })],
    ['in a URL', `https://x.example/?key=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ secret }).toString()],
    ['as the password in an address', Object.assign(new URL('postgres://u@h/d'), { password: secret }).href],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in Base64', Buffer.from(secret).toString('base64')],
    ['in a Basic authorization', `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`],
    ['in Base64 for URLs', Buffer.from(`{"a":"${secret}"}`).toString('base64url')],
  ])('cuts a secret out %s', (_how, text) => {
    const cut = createRedactor([secret])(text);
    expect(cut).toContain('[secret]');
    expect(cut).not.toMatch(/p@ss|w(ö|%C3%B6)rd/i);
  });

  it('finds it in Base64 wherever it stands there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9 }), fc.uint8Array({ maxLength: 9 }), (before, after) => {
        const encoded = Buffer.concat([before, Buffer.from('a-long-secret'), after]).toString('base64');
        expect(createRedactor(['a-long-secret'])(encoded)).toContain('[secret]');
      }),
    );
  });

  it('cuts out the tokens of interactions, which nobody knows beforehand', () => {
    const redact = createRedactor([]);
    expect(redact('"url":"https://discord.com/api/v10/interactions/12/aW50ZXI-xyz/callback?a=b"')).toBe(
      '"url":"https://discord.com/api/v10/interactions/12/[token]/callback?a=b"',
    );
    expect(redact('/webhooks/34/aW50ZXI/messages/@original')).toBe('/webhooks/34/[token]/messages/@original');
    expect(redact('/webhooks/vote /webhooks/premium')).toBe('/webhooks/vote /webhooks/premium');
  });

  it('can be told of more secrets later', () => {
    const redact = createRedactor(['first-secret']);
    redact.add(['second-secret']);
    expect(redact('first-secret second-secret third')).toBe('[secret] [secret] third');
  });

  it('leaves alone what is too short to be told from other words', () => {
    expect(createRedactor(['abc', ''])('abc')).toBe('abc');
  });
});
