import { hostilePaths, hostileRequests } from '@tallyhook/platform/testing/hostile-requests';
import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { expect, test } from 'vitest';
import { running, serverId } from '../testing/running.ts';

const paths = [
  '/sign-in',
  '/dashboard',
  `/servers/${serverId}`,
  `/servers/${serverId}/vote`,
  '/servers/%00',
  '/servers/__proto__',
  '/assets/..%2fservice.css',
  '/api/v1/server',
  '/api/v1/bot/stats',
  '/sitemap-servers.xml?after=%00',
  `/dashboard/${serverId}/owners`,
  '/api/v1/votes/%00',
  '/api/v1/votes/%E0%A4%A',
  '/api/v1/reviews?limit[__proto__]=1&sort=newest&sort=lowest',
  '/api/v1/reviews?limit=1e309',
  '/api/v1/__proto__',
];

test('hostile requests get a 2xx to 4xx response, and every page has the security headers', {
  timeout: 60_000,
}, async () => {
  const { service, keys, lines } = await running();
  for (const { method, label, bytes } of hostileRequests(
    [...paths, ...hostilePaths],
    `X-API-Key: ${keys.server}\r\n`,
  )) {
    const { write, closed } = rawConnection(service.url);
    write(bytes);
    const [answer] = parseResponses(await closed, { isHead: method === 'HEAD' });
    expect(answer?.status, label).toBeGreaterThan(199);
    expect(answer?.status, label).toBeLessThan(500);
    if (!answer?.head.includes('text/html')) continue;
    for (const header of ["frame-ancestors 'none'", 'nosniff', 'Referrer-Policy: same-origin', 'no-store'])
      expect(answer.head, label).toContain(header);
  }
  expect(lines.filter((line) => /page failed|request failed/.test(line))).toEqual([]);
  expect((await fetch(service.url)).status).toBe(200);
});
