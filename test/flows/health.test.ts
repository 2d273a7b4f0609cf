import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { newSqliteFile } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

/** The complete app without Discord. */
async function running() {
  const path = newSqliteFile();
  const environment = { ...settings(unreachableDiscord), DATABASE_URL: `sqlite:${path}`, CACHE_URL: 'memory:' };
  const log = createLog({ level: 'silent', secrets: [] });
  const app = await createApp(loadConfig(environment), { clock: systemClock, log });
  onTestFinished(() => app.stop());
  return { app, path, url: (await app.start()) ?? '' };
}

describe('the app while Discord is unavailable', { timeout: 120_000 }, () => {
  it('is ready for the role receive, but not as a whole', async () => {
    const { url } = await running();
    const whole = await fetch(`${url}/readyz`);
    expect(whole.status).toBe(503);
    expect(await whole.json()).toMatchObject({ parts: { discord: { ready: false }, settings: { ready: true } } });
    const receive = await fetch(`${url}/readyz?role=receive`);
    expect(receive.status).toBe(200);
    expect(await receive.json()).toEqual({ ready: true, parts: { store: { ready: true } } });
  });

  it('writes to its database about once a second for any number of readiness checks', async () => {
    const { url, path } = await running();
    const reader = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => reader.close());
    const lastProbe = reader.prepare('SELECT at FROM probes');
    const probes = new Set<unknown>();
    const began = performance.now();
    for (let sent = 0; sent < 200; sent += 1) {
      await fetch(`${url}/readyz${sent % 2 === 0 ? '' : '?role=receive'}`);
      probes.add(lastProbe.get()?.['at']);
    }
    expect(probes.size).toBeLessThanOrEqual(2 + (performance.now() - began) / 1_000);
  });
});

describe('the app while it stops', { timeout: 120_000 }, () => {
  it('is not ready to receive, but completes requests in progress', async () => {
    const { app, url } = await running();
    const { write, closed } = rawConnection(url);
    write('GET /readyz?role=receive HTTP/1.1\r\nHo');
    await fetch(`${url}/healthz`);
    const stopped = app.stop();
    write('st: x\r\n\r\n');
    const [answer] = parseResponses(await closed);
    expect(answer?.status).toBe(503);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ ready: false, reason: 'The process is stopping.' });
    await stopped;
  });
});

describe('a sender that half-closes its connection after the request', { timeout: 120_000 }, () => {
  it('gets the response to its vote after the commit', async () => {
    const { app, url } = await running();
    const body = JSON.stringify({ event: 'server_vote', userId: '42', timestamp: new Date().toISOString() });
    const { write, end, closed } = rawConnection(url);
    const head = `POST /webhooks/vote HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}`;
    write(`${head}\r\nx-webhook-signature: ${sign(body, voteSecret)}\r\n\r\n${body}`);
    end();
    const [answer] = parseResponses(await closed);
    expect(answer).toMatchObject({ status: 200, body: '{"received":true,"outcome":"recorded"}' });
    expect(await app.ledger.account('42')).toMatchObject({ votes: 1 });
  });
});
