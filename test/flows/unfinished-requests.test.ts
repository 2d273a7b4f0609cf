import { systemClock } from '@tallyhook/platform/clock';
import { maxUnverifiedBytes } from '@tallyhook/platform/http/body';
import { createLog } from '@tallyhook/platform/log';
import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createSigningKey } from '../../packages/local-discord/src/outgoing-interactions.ts';
import { createApp } from '../../src/app/app.ts';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

const size = 64 * 1024;
const unfinished = Buffer.alloc(size - 1, 'x');
/** Few more than fit. */
const connections = 560;

it('requests that are never finished share 32 MiB, and votes are received meanwhile', {
  timeout: 120_000,
}, async () => {
  const key = createSigningKey();
  const config = loadConfig({
    ...{ ...settings(unreachableDiscord), DISCORD_PUBLIC_KEY: key.publicKey, CACHE_URL: 'memory:' },
    DATABASE_URL: newSqliteUrl(),
  });
  const app = await createApp(config, { clock: systemClock, log: createLog({ level: 'silent', secrets: [] }) });
  onTestFinished(() => app.stop());
  const url = (await app.start()) ?? '';

  const heads = [
    ['/interactions', key.headersFor('', Date.now())],
    ['/webhooks/vote', { 'x-webhook-signature': 'ab'.repeat(32) }],
  ] as const;
  const responses: string[] = [];
  function open(index: number): void {
    const [path, headers] = heads[index % heads.length] ?? heads[0];
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { write, waitForResponse } = rawConnection(url);
    write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n${lines.join('')}\r\n`);
    write(unfinished);
    waitForResponse(/\r\n\r\n\{.*\}/s).then(
      // On a slow machine the first ones time out before the last ones are opened.
      (response) => void (response.startsWith('HTTP/1.1 408 ') ? open(index) : responses.push(response)),
      () => {},
    );
  }
  for (let index = 0; index < connections; index += 1) open(index);
  // Each body takes at most 64 KiB, so at least these did not fit.
  const tooMany = connections - Math.ceil(maxUnverifiedBytes / unfinished.length);
  await expect.poll(() => responses.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(tooMany - 1);
  for (const response of responses.slice(0, tooMany - 1)) {
    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(response).toMatch(/^retry-after: \d+\r$/im);
  }

  const timestamp = new Date().toISOString();
  for (let voter = 0; voter < 20; voter += 1) {
    const body = JSON.stringify({ event: 'server_vote', userId: `30000000000000000${voter}`, timestamp });
    const headers = { 'x-webhook-signature': sign(body, voteSecret) };
    expect((await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body })).status).toBe(200);
  }
});
