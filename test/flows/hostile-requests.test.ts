import { hostilePaths, hostileRequests } from '@tallyhook/platform/testing/hostile-requests';
import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { describe, expect, it } from 'vitest';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startApp } from '../support/start-app.ts';

const ownerToken = 'owner-token';

const paths = [
  '/healthz',
  '/metrics',
  '/webhooks/vote',
  '/webhooks/premium/',
  '/webhooks/other',
  '/owner/api/summary',
  '/owner/api/users/1',
  '/owner/api/users/%00',
  '/owner/api/users/%ff%fe',
  `/owner/api/users/${'9'.repeat(5_000)}`,
  '/owner/api/deliveries?limit=1e9&before=-1',
  '/owner/api/deliveries?limit[__proto__]=1&outcome[]=test&before=1&before=2',
  `/owner/api/deliveries?${'a=1&'.repeat(2_000)}`,
  '/owner/api/deliveries/99999999999999999999/replay',
  '/owner/api/__proto__/constructor',
] as const;

describe('every route', { timeout: 60_000 }, () => {
  it('responds to any request, never with 500 or data from the request, and continues to run', async () => {
    const { url, lines } = await startApp(settings(unreachableDiscord));
    for (const { method, label, bytes } of hostileRequests(
      [...paths, ...hostilePaths],
      `Authorization: Bearer ${ownerToken}\r\n`,
    )) {
      const { write, closed } = rawConnection(url);
      write(bytes);
      const [response, ...others] = parseResponses(await closed, { isHead: method === 'HEAD' });
      // A request whose method cannot be parsed gets a response with a body, even if it was a HEAD request.
      if (method !== 'HEAD') expect(others, label).toEqual([]);
      expect([200, 400, 401, 404, 405, 413, 415], label).toContain(response?.status);
      expect(response?.head, label).not.toMatch(/x-powered-by|access-control/i);
      if (response?.status !== 200 && method !== 'HEAD') {
        const { code = 'of the API', ...failure } = JSON.parse(response?.body ?? '');
        expect([code, failure], label).toEqual([expect.any(String), { success: false, error: expect.any(String) }]);
        expect(response?.body, label).not.toMatch(/passwd|script|evil|x\/x/);
      }
    }
    expect(lines.filter((line) => /(request|delivery) failed|owner API request failed/.test(line))).toEqual([]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
