import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { describe, expect, it } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startApp } from '../support/start-app.ts';

/** The complete app without Discord. */
const running = () => startApp(settings(unreachableDiscord));

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
