import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { expect, it, onTestFinished } from 'vitest';
import { createUploads } from '../../../src/features/settings/services.ts';

it('reads files from Discord alone, also behind a redirect, and no more than it says', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(request.url === '/moved' ? 302 : 200, { Location: '/codes.txt' }).end('AAA-1');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const uploadsOf = (apiUrl: string) =>
    createUploads({ apiUrl, stopwatch: systemClock, log: createLog({ level: 'silent', secrets: [] }) });
  const ofLocal = uploadsOf(`${origin}/api`);
  expect(await ofLocal({ size: 5, url: `${origin}/codes.txt` })).toBe('AAA-1');
  expect(await ofLocal({ size: 5, url: `${origin}/moved` })).toBe(null);
  expect(await ofLocal({ size: 256 * 1024 + 1, url: `${origin}/long.txt` })).toBe(null);
  expect(await uploadsOf('https://discord.com/api')({ size: 5, url: `${origin}/foreign.txt` })).toBe(null);
  expect(await ofLocal({ size: 5, url: 'no address' })).toBe(null);
  expect(requests).toEqual(['/codes.txt', '/moved']);
});
