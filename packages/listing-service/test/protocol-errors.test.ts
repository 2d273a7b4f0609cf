import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { expect, test } from 'vitest';
import { running } from '../testing/running.ts';

const host = 'Host: 127.0.0.1\r\n';

test.each([
  [400, 'a malformed request', `nonsense\r\n\r\n`],
  [400, 'an unknown method', `FETCH /api/v1/server HTTP/1.1\r\n${host}\r\n`],
  [400, 'a malformed header', `GET /api/v1/server HTTP/1.1\r\n${host}X y: 1\r\n\r\n`],
  [400, 'a request without Host', 'GET /api/v1/server HTTP/1.1\r\n\r\n'],
  [400, 'CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`],
  [417, 'an unknown expectation', `GET /api/v1/server HTTP/1.1\r\n${host}Expect: a-miracle\r\n\r\n`],
  [431, 'headers that are too large', `GET /api/v1/server HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`],
])('%d for %s is in the failure envelope', async (status, _, bytes) => {
  const { service } = await running();
  const { write, closed } = rawConnection(service.url);
  write(bytes);
  const [answer] = parseResponses(await closed);
  expect(answer?.status).toBe(status);
  expect(answer?.head).toMatch(/content-type: application\/json/i);
  expect(JSON.parse(answer?.body ?? '')).toEqual({ success: false, error: expect.any(String) });
});

test('HTTP/1.0 requires no Host header, and 100-continue is supported', async () => {
  const { service } = await running();
  const old = rawConnection(service.url);
  old.write('GET /api/v1/server HTTP/1.0\r\n\r\n');
  expect(await old.closed).toContain(' 401 ');
  const expecting = rawConnection(service.url);
  expecting.write(`GET /api/v1/server HTTP/1.1\r\n${host}Connection: close\r\nExpect: 100-continue\r\n\r\n`);
  expect(await expecting.closed).toMatch(/ 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
});
