import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { systemClock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import express, { type Express } from 'express';
import type { Express as Express4 } from 'express-4';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { createReceiver } from '../../src/app/receiver-app.ts';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { serve } from '../support/start-receiver.ts';

const body = JSON.stringify({
  event: 'server_vote',
  userId: '42',
  serverId: '1',
  timestamp: '2026-01-01T00:00:00.000Z',
});

async function deliver(url: string) {
  const headers = { 'x-webhook-signature': sign(body, voteSecret) };
  const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

const programs = {
  createReceiver: async (log: Log) =>
    createReceiver({
      listings: [{ name: 'server', kind: 'server', id: '1', voteSecrets: [voteSecret] }],
      database: `${tempDir()}/votes.db`,
      handlers: { onVote: () => {} },
      log,
    }),
  createApp: async (log: Log) => {
    const environment = { ...settings(unreachableDiscord), TALLYHOOK_ROLES: 'receive', CACHE_URL: 'memory:' };
    const config = loadConfig({ ...environment, DATABASE_URL: newSqliteUrl() });
    return createApp(config, { clock: systemClock, log });
  },
};

type Program = Awaited<ReturnType<(typeof programs)[keyof typeof programs]>>;

function listenerOf(program: Program, route: 'webhooks' | 'http' | 'fetch' | 'node'): RequestListener {
  const answer = getRequestListener(program.fetch);
  const listeners: Record<typeof route, RequestListener> = {
    webhooks: express().use(program.webhooks),
    http: program.http,
    fetch: (request, response) => void answer(request, response),
    node: (request, response) => void program.node(request, response),
  };
  return listeners[route];
}

describe.each(Object.entries(programs))('webhooks of %s that are mounted in another app', (_name, create) => {
  it.each(['webhooks', 'http', 'fetch', 'node'] as const)(
    'reject deliveries until start() is called, and say so once (%s)',
    async (route) => {
      const { logged, log } = collectingLog();
      const program = await create(log);
      onTestFinished(() => program.stop());
      const url = await serve(listenerOf(program, route));
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expect(await deliver(url)).toMatchObject({
          status: 503,
          retryAfter: expect.stringMatching(/^\d+$/),
          text: expect.stringContaining('has not been started'),
        });
      }
      const warnings = logged.filter(({ hint }) => String(hint).includes('start('));
      expect(warnings).toMatchObject([{ level: 40, hint: expect.stringContaining('start({ listen: false })') }]);

      await program.start({ listen: false });
      expect(await deliver(url)).toMatchObject({ status: 200, text: expect.stringContaining('"recorded"') });
      expect(logged.filter(({ hint }) => String(hint).includes('start('))).toHaveLength(1);
    },
  );

  it('reject deliveries after stop()', async () => {
    const { logged, log } = collectingLog();
    const program = await create(log);
    const url = await serve(express().use(program.webhooks));
    await program.start({ listen: false });
    await program.stop();
    expect(await deliver(url)).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(logged.filter(({ level }) => level > 40)).toEqual([]);
  });
});

/** Compile with the types of each version, which differ in what `use` accepts. */
const mounts = {
  'Express 4': (app: Express4, { webhooks }: Program) => app.use(webhooks).use('/tally', webhooks),
  'Express 5': (app: Express, { webhooks }: Program) => app.use(webhooks).use('/tally', webhooks),
};

it.each(Object.entries(mounts))('the types of %s accept the webhooks, also under a path', async (_version, mount) => {
  const program = await programs.createReceiver(collectingLog().log);
  onTestFinished(() => program.stop());
  await program.start({ listen: false });
  const app = express();
  mount(app as Express & Express4, program);
  const url = await serve(app);
  expect(await deliver(`${url}/tally`)).toMatchObject({ status: 200 });
  expect(await deliver(url)).toMatchObject({ status: 200 });
  expect(await deliver(`${url}/other`)).toMatchObject({ status: 404 });
});
