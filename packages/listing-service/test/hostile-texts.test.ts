import { createServer } from 'node:http';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { hostileText } from '@tallyhook/platform/testing/hostile-text';
import { normalizeLine, normalizeText } from '@tallyhook/platform/truncate';
import { html } from '@tallyhook/platform/web/html';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { ask, mira, ownerId, type Running, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const runs = 8;
const escaped = (text: string) => html`${text}`.text;

/** What members and owners send is stored normalized, shown escaped, and sent as valid JSON. */
async function storeHostileTexts(all: Running): Promise<void> {
  const owner = await visit(all, ownerId);
  const member = await visit(all, mira.userId);
  const stored = await openDatabase(all.database);
  onTestFinished(() => stored.destroy());
  await all.service.setWebhook(serverId, { voteUrl: 'http://127.0.0.1:9000/' });
  const api = (path: string) => all.get(path, { 'X-API-Key': all.keys.server });
  let accepted = 0;
  let voters = 0;
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, async (name, text) => {
      const [safeName, safeText] = [normalizeLine(name), normalizeText(text)];
      const saved = await owner.send(`/dashboard/${serverId}`, {
        ...{ name, description: text, tags: name, category: 'Gaming', rules: '' },
        ...{ kind: 'bot', owner_id: mira.userId, ownerId: mira.userId, state: 'hidden', id: '1' },
      });
      const reviewed = await member.send(`/servers/${serverId}/reviews`, { rating: '1', comment: text });
      expect([303, 400, 413]).toContain(saved.status);
      const isValid = safeText !== '' && safeText.length <= 1_000;
      if (reviewed.status !== 413) expect(reviewed.status).toBe(isValid ? 303 : 400);
      const page = await member.open(`/servers/${serverId}`);
      expect(page.status).toBe(200);
      const { json } = await api('/server');
      if (saved.status === 303) {
        accepted += 1;
        expect(json['data']).toMatchObject({ name: safeName, description: safeText, ownerDiscordId: ownerId });
        expect(page.text).toContain(escaped(safeName));
      }
      if (reviewed.status === 303) {
        expect((await api('/reviews?limit=1')).json['data']).toMatchObject([{ comment: safeText }]);
        expect(page.text).toContain(escaped(safeText));
      }
      const username = normalizeLine(name);
      voters += 1;
      const vote = await all.service.castVote({ listingId: serverId, userId: `10${voters}`, username: name });
      const delivery = await stored.selectFrom('deliveries').select('body').where('id', '=', vote.deliveryId).execute();
      const body = JSON.parse(delivery[0]?.body ?? '{}');
      const expected = username === '' ? 'A member' : username.slice(0, 99).toWellFormed();
      expect(body.voter.username.slice(0, 99)).toBe(expected);
      expect(body.voter.username.length).toBeLessThanOrEqual(100);
      expect(body.voter.username.isWellFormed()).toBe(true);
      expect(body.voter.username).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
    }),
    { numRuns: runs, endOnFailure: true },
  );
  expect(accepted).toBeGreaterThan(0);
}

/** Paths, queries and fields with what a database may reject. */
async function sendHostileIds(all: Running): Promise<void> {
  const owner = await visit(all, ownerId);
  const hostile = [
    '%00',
    '%ED%A0%80',
    '%F0%9F%92%A9',
    `${'9'.repeat(400)}`,
    "'%20or%201=1--",
    '__proto__',
    '%2e%2e%2f',
  ];
  const statuses = new Set<number>();
  for (const id of hostile) {
    for (const path of [`/servers/${id}`, `/dashboard/${id}`, `/?q=${id}&tag=${id}&page=${id}`, `/sign-in/${id}`]) {
      statuses.add((await owner.open(path)).status);
    }
    const form = new URLSearchParams(`token=${owner.token}&label=${id}&name=${id}&url=${id}&userId=${id}`);
    const send = (path: string) =>
      ask(all.service.url + path, { method: 'POST', headers: { cookie: owner.cookie }, body: form });
    for (const path of [`/servers/${id}/vote`, `/sign-in/${id}`, '/sign-in']) statuses.add((await send(path)).status);
    for (const part of [`deliveries/${id}/resend`, `keys/${id}/revoke`, `webhooks/${id}`, 'webhooks/vote', 'keys']) {
      statuses.add((await send(`/dashboard/${serverId}/${part}`)).status);
    }
  }
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(all.lines.filter((line) => line.includes('page failed'))).toEqual([]);
}

/** A receiver that answers with what a database may reject does not stop its deliveries. */
async function receiveHostileAnswers(all: Running): Promise<void> {
  const answers = ['\0', '\uD83D', '😀'.repeat(2_000), '\u202E'].map((text) => `a${text}`);
  const server = createServer((_request, response) => response.writeHead(500).end(answers.shift() ?? 'a'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await all.service.setWebhook(serverId, { voteUrl: `http://127.0.0.1:${port}/` });
  for (const _ of [...answers]) {
    expect(await all.service.testWebhook(serverId, 'vote')).toMatchObject({ status: 500 });
  }
  server.closeAllConnections();
  server.close();
  const deliveries = await all.service.deliveries(serverId);
  const history = deliveries.flatMap(({ attemptHistory }) => attemptHistory);
  expect(history).toHaveLength(4);
  for (const { responseBody } of history) expect(responseBody).toMatch(/^a[^\0]+$/);
}

const cases = { storeHostileTexts, sendHostileIds, receiveHostileAnswers };

test.each(Object.entries(cases))('on SQLite: %s', async (_name, run) => {
  await run(await running());
});

describeOnPostgres('on PostgreSQL', (server) => {
  test.each(Object.entries(cases))('%s', async (_name, run) => {
    await run(await running({ database: server().newFilled('service') }));
  });
});
