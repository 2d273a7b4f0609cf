import { hostilePaths, hostileRequests } from '@tallyhook/platform/testing/hostile-requests';
import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { describe, expect, it } from 'vitest';
import { localDiscord } from '../testing/local.ts';

const paths = [
  '/page/events/',
  '/page/votes',
  '/page/__proto__',
  '/attachments/%2e%2e/%2e%2e/etc/passwd',
  '/attachments/%',
  '/api/v10/%',
  '/api/v10/users/@me',
  '/api/v10/channels/%00/messages',
  '/api/v10/interactions/1/%E0%A4%A/callback',
  '/api/v10/__proto__/constructor',
  '/gateway',
];

describe('the HTTP server of the local Discord', { timeout: 60_000 }, () => {
  it('responds correctly to any path, method, header and body, and sends security headers with its page', async () => {
    const { origin } = await localDiscord({ page: true });
    for (const { method, path, label: told, bytes } of hostileRequests([...paths, ...hostilePaths])) {
      const { write, closed } = rawConnection(origin);
      write(bytes);
      const [answer] = parseResponses(await closed, { isHead: method === 'HEAD' });
      // No response: the connection of an unknown upgrade path is closed.
      if (answer === undefined) continue;
      expect(answer.status, told).toBeLessThan(500);
      if (answer.status === 400 || path.includes('/api/') || path.includes('/attachments/')) continue;
      for (const header of ["frame-ancestors 'none'", 'nosniff', 'no-referrer'])
        expect(answer.head, told).toContain(header);
    }
    expect((await fetch(origin)).status).toBe(200);
  });
});
