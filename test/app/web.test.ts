import { minute } from '@tallyhook/platform/durations';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import { createSessionCookie, equalSecrets } from '@tallyhook/platform/web/session-cookie';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { serve } from '../support/start-receiver.ts';

const setHeaders = securityHeaders({
  contentSecurityPolicy: { 'default-src': ["'none'"], 'style-src': ["'self'", 'data:'] },
  referrerPolicy: 'same-origin',
});

it('sets exactly the configured policy and the common headers', async () => {
  const app = express()
    .use(setHeaders)
    .get('/', (_request, response) => void response.end());
  const { headers } = await fetch(await serve(app));
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-security-policy': "default-src 'none';style-src 'self' data:",
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  expect(headers.has('strict-transport-security')).toBe(false);
});

it('works without Express', async () => {
  const url = await serve((request, response) =>
    setHeaders(request as never, response as never, () => void response.end('page')),
  );
  const response = await fetch(url);
  expect([await response.text(), response.headers.get('x-frame-options')]).toEqual(['page', 'DENY']);
});

const now = Date.UTC(2026, 0, 1);
const cookie = createSessionCookie({ name: 'session', key: 'key', lifetimeMs: minute, sameSite: 'strict', path: '/' });

/** The Set-Cookie header of a new session. */
async function setCookie(secure = false): Promise<string> {
  const app = express().get('/', (_request, response) => {
    cookie.set(response, { subject: '42', now, secure });
    response.end();
  });
  const { headers } = await fetch(await serve(app));
  return headers.get('set-cookie') ?? '';
}

describe('a session cookie', () => {
  it('has its attributes, and Secure only over HTTPS', async () => {
    expect(await setCookie()).toMatch(/^session=42\.\d+\.[\w-]+; Max-Age=60; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await setCookie(true)).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
  });

  it('is valid until its expiry, among other cookies', async () => {
    const header = `other=1; ${(await setCookie()).split(';')[0]}; session2=x`;
    expect(cookie.read(header, now + minute - 1)).toMatchObject({ subject: '42', expiresAt: now + minute });
    expect(cookie.read(header, now + minute)).toBe(null);
  });

  it('is rejected if any part is changed, or another key signed it', async () => {
    const [, value = ''] = (await setCookie()).split(';')[0]?.split('=') ?? [];
    const [subject = '', expiry = '', signature = ''] = value.split('.');
    const otherKey = createSessionCookie({ name: 'session', key: 'other', lifetimeMs: minute, sameSite: 'strict' });
    expect(cookie.read(`session=${value}`, now)).not.toBe(null);
    expect(otherKey.read(`session=${value}`, now)).toBe(null);
    for (const forged of [
      `43.${expiry}.${signature}`,
      `${subject}.${Number(expiry) + 1}.${signature}`,
      `${subject}.${expiry}.`,
      '../..',
      '',
    ]) {
      expect(cookie.read(`session=${forged}`, now), forged).toBe(null);
    }
    expect(cookie.read(undefined, now)).toBe(null);
  });
});

it('compares secrets of any length', () => {
  expect(equalSecrets('secret', 'secret')).toBe(true);
  for (const other of ['', 'secre', 'secret2', 'Secret']) expect(equalSecrets('secret', other), other).toBe(false);
});
