import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sign } from 'tallyhook';
import { expect, it, onTestFinished, vi } from 'vitest';

const day = 86_400_000;

it('draws a prize for every third vote, and reports milestones until they are accepted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const reports: unknown[] = [];
  const service = createServer((request, response) => {
    void text(request).then((body) => {
      reports.push(JSON.parse(body));
      response.writeHead(reports.length === 1 ? 503 : 200).end();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const secret = 'vote-secret-of-the-example';
  const rewards = { vote: 10, milestones: [{ votes: 2, credits: 5 }] };
  const listings = [{ name: 'server', kind: 'server', voteSecrets: [secret], rewards }];
  writeFileSync(join(directory, 'listings.json'), JSON.stringify({ listings }), { mode: 0o600 });
  for (const [name, value] of Object.entries({
    ...{ TALLYHOOK_ROLES: 'receive', TALLYHOOK_CONFIG: join(directory, 'listings.json') },
    ...{ DATABASE_URL: `sqlite:${directory}/tally.db`, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'silent' },
    REWARD_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  }))
    vi.stubEnv(name, value);

  const { app, url } = await import('./main.ts');
  onTestFinished(() => app.stop());
  const userId = '200000000000000001';
  for (const daysAgo of [3, 2, 1]) {
    const timestamp = new Date(Date.now() - daysAgo * day).toISOString();
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp });
    const headers = { 'x-webhook-signature': sign(body, secret) };
    await fetch(`${url}/webhooks/vote`, { method: 'POST', body, headers });
  }
  await vi.waitFor(async () => expect((await app.ledger.account(userId))?.credits).toBeGreaterThan(35), 5_000);
  await vi.waitFor(() => expect(reports.length).toBe(2), 5_000);
  expect(reports[1]).toEqual(reports[0]);
  expect(reports[0]).toMatchObject({ userId, votes: 2 });
});
