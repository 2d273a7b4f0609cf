import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { openStore } from '../../src/features/store.ts';
import { claimDue } from '../support/claim-due.ts';
import { firstCommunity } from '../support/communities.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { createSender } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 60_000, interval: 50 };

/** A server that accepts every connection and sends nothing. */
async function silentServer(): Promise<{ port: number; connected: Promise<unknown> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, connected: once(server, 'connection') };
}

const vote = (user: number) =>
  ({
    family: 'vote',
    body: JSON.stringify({ event: 'server_vote', userId: String(user), timestamp: new Date().toISOString() }),
  }) as const;

/** Sends the first half of a delivery to `url`, and leaves the connection open. */
function sendHalf(url: string): void {
  const half = connect(Number(new URL(url).port), '127.0.0.1');
  half.on('error', () => {});
  onTestFinished(() => void half.destroy());
  half.write('POST /webhooks/vote HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
}

describe('the program after a signal', { timeout: 180_000 }, () => {
  it('SIGTERM under load while Discord, the service and a client hang: exits with 0, also if a SIGHUP follows, has stored what it acknowledged, and leaves no lease', async () => {
    const discord = await startLocalDiscord();
    onTestFinished(() => discord.stop());
    const service = await silentServer();
    const directory = tempDir();
    const environment = { ...settings(discord), LOOKUP_BASE_URL: `http://127.0.0.1:${service.port}/api/v1` };
    const running = startProgram(['start'], environment, directory);
    const url = await running.url();
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), waitOptions);
    const names = () => discord.commands().map(({ name }) => name);
    await vi.waitFor(() => expect(names()).toContain('canvote'), waitOptions);
    const use = { name: 'canvote', options: {}, channelId: discord.channels.general };
    discord.runCommand({ ...use, userId: discord.members[0]?.id ?? '' });
    await service.connected;
    discord.faults.slow(600_000);
    sendHalf(url);

    const { send } = createSender(16);
    const acknowledged: number[] = [];
    let user = 0;
    const sending = Array.from({ length: 16 }, async () => {
      for (;;) {
        user += 1;
        const voter = user;
        const answer = await send(url, vote(voter));
        if (answer === null) return;
        if (answer.status === 200) acknowledged.push(voter);
      }
    });
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(100), waitOptions);
    running.process.kill('SIGTERM');
    // The hanging client keeps the program from exiting, but it accepts no connection any more.
    await vi.waitFor(() => expect(fetch(`${url}/healthz`)).rejects.toThrow(), waitOptions);
    running.process.kill('SIGHUP');
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('"stopped"');
    await Promise.all(sending);

    const store = await openStore(`sqlite:${join(directory, 'data', 'tallyhook.db')}`, systemClock);
    onTestFinished(() => store.close());
    for (const voter of acknowledged) {
      expect(await store.ledgerIn(firstCommunity).account(String(voter))).toMatchObject({ credits: 10, votes: 1 });
    }
    const { waiting } = await store.outbox.sizes();
    const now = systemClock.now();
    const due = [
      ...(await claimDue(store.outbox, now, now + 60_000, 10_000)),
      ...(await claimDue(store.outbox, now, now + 60_000, 10_000)),
    ];
    // One message was in progress; its effects are due again, like those that were never attempted.
    expect(due.some(({ attempts }) => attempts === 2)).toBe(true);
    expect(due).toHaveLength(waiting);
  });

  it('SIGHUP continues to start, and SIGTERM then exits with 0, although the database does not respond', async () => {
    const silent = await silentServer();
    const environment = {
      ...settings(unreachableDiscord),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${silent.port}/nothing`,
    };
    const running = startProgram(['start'], environment, tempDir());
    await silent.connected;
    running.process.kill('SIGHUP');
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });
});

describe('the embedded app, stopped by its caller', () => {
  it('while it starts does not listen or log that it does', async () => {
    const PORT = String(await freePort());
    const config = loadConfig({
      ...settings(unreachableDiscord),
      DATABASE_URL: newSqliteUrl(),
      CACHE_URL: 'memory:',
      PORT,
    });
    const { log, logged } = collectingLog();
    const app = await createApp(config, { clock: systemClock, log });
    const starting = app.start();
    await app.stop();
    expect(await starting).toBe(null);
    await expect(fetch(`http://127.0.0.1:${PORT}/healthz`)).rejects.toThrow();
    expect(JSON.stringify(logged)).not.toContain('receiving webhooks');
  });
});
