import { maxUnverifiedBytes } from '@tallyhook/platform/http/body';
import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import { expect, it } from 'vitest';
import { createSigningKey } from '../../packages/local-discord/src/outgoing-interactions.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { postVote, startApp } from '../support/start-app.ts';

const size = 64 * 1024;
const unfinished = Buffer.alloc(size - 1, 'x');
/** Few more than fit. */
const connections = 560;

it('requests that are never finished share 32 MiB, and votes are received meanwhile', {
  timeout: 120_000,
}, async () => {
  const key = createSigningKey();
  const { url } = await startApp({ ...settings(unreachableDiscord), DISCORD_PUBLIC_KEY: key.publicKey });

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

  for (let voter = 0; voter < 20; voter += 1)
    expect((await postVote(url, `30000000000000000${voter}`)).status).toBe(200);
});
