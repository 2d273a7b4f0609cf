import { createServer } from 'node:http';
import { securityHeaders } from '@tallyhook/platform/web/security-headers';
import express from 'express';
import { expect, it } from 'vitest';
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
  const server = createServer((request, response) => setHeaders(request, response, () => void response.end('page')));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect([await response.text(), response.headers.get('x-frame-options')]).toEqual(['page', 'DENY']);
  server.close();
});
