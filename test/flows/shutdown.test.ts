import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { openStore } from '../../src/store/store.ts';
import { claimDue } from '../support/claim-due.ts';
import { createSender } from '../support/sender.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { type Program, startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const waitOptions = { timeout: 20_000, interval: 100 };

/** Sends the signals; returns the exit code and the time until the exit (ms). */
async function stop(running: Program, ...signals: { signal: NodeJS.Signals; after: number }[]) {
  const startedAt = performance.now();
  for (const { signal, after } of signals) {
    await new Promise((resolve) => setTimeout(resolve, after));
    running.process.kill(signal);
  }
  const ended = await running.ended;
  return { ended, took: performance.now() - startedAt };
}

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
async function sendHalf(url: string): Promise<void> {
  const half = connect(Number(new URL(url).port), '127.0.0.1');
  half.on('error', () => {});
  onTestFinished(() => void half.destroy());
  half.write('POST /webhooks/vote HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await fetch(`${url}/healthz`);
}

describe('the program after a stop signal', { timeout: 60_000 }, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s under load while Discord, the service and a client hang: exits within 10 s with 0, has stored what it acknowledged, and leaves no lease',
    async (signal) => {
      const discord = await startLocalDiscord();
      onTestFinished(() => discord.stop());
      const service = await silentServer();
      const directory = tempDir();
      const environment = { ...settings(discord), LOOKUP_BASE_URL: `http://127.0.0.1:${service.port}/api/v1` };
      const running = startProgram(['start'], environment, directory);
      const url = await running.url();
      await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), waitOptions);
      await vi.waitFor(() => expect(discord.commands()).not.toEqual([]), waitOptions);
      const [member] = discord.members;
      discord.runCommand({
        name: 'canvote',
        options: {},
        userId: member?.id ?? '',
        channelId: discord.channels.general,
      });
      await service.connected;
      discord.faults.slow(60_000);
      const half = connect(Number(new URL(url).port), '127.0.0.1');
      half.on('error', () => {});
      onTestFinished(() => void half.destroy());
      half.write('POST /webhooks/vote HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');

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
      const { ended, took } = await stop(running, { signal, after: 0 });
      expect(ended).toBe(0);
      expect(took).toBeLessThan(10_000);
      await Promise.all(sending);

      const store = await openStore(`sqlite:${join(directory, 'data', 'tallyhook.db')}`, systemClock);
      onTestFinished(() => store.close());
      for (const voter of acknowledged) {
        expect(await store.ledger.account(String(voter))).toMatchObject({ credits: 10, votes: 1 });
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
    },
  );

  it('exits immediately with 1 after a second signal', async () => {
    const running = startProgram(['start'], settings(unreachableDiscord), tempDir());
    await sendHalf(await running.url());
    const { ended, took } = await stop(running, { signal: 'SIGTERM', after: 0 }, { signal: 'SIGINT', after: 500 });
    expect(ended).toBe(1);
    expect(took).toBeLessThan(2_000);
  });

  it('treats Ctrl-C under npm, which sends two signals at once, as one', async () => {
    const running = startProgram(['start'], settings(unreachableDiscord), tempDir());
    await running.url();
    const { ended } = await stop(running, { signal: 'SIGINT', after: 0 }, { signal: 'SIGINT', after: 10 });
    expect(ended).toBe(0);
    expect(running.output()).toContain('"stopped"');
  });

  it('exits with 0 while it starts, also if its database does not respond', async () => {
    const silent = await silentServer();
    const environment = {
      ...settings(unreachableDiscord),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${silent.port}/nothing`,
    };
    const running = startProgram(['start'], environment, tempDir());
    await silent.connected;
    const { ended, took } = await stop(running, { signal: 'SIGTERM', after: 0 });
    expect(ended).toBe(0);
    expect(took).toBeLessThan(1_900);
  });
});

describe('the program after SIGHUP', { timeout: 60_000 }, () => {
  it('continues to start', async () => {
    const silent = await silentServer();
    const environment = {
      ...settings(unreachableDiscord),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${silent.port}/nothing`,
    };
    const running = startProgram(['start'], environment, tempDir());
    await silent.connected;
    const { ended } = await stop(running, { signal: 'SIGHUP', after: 0 }, { signal: 'SIGTERM', after: 300 });
    expect(ended).toBe(0);
  });

  it('still stops in order if it is stopping already', async () => {
    const running = startProgram(['start'], settings(unreachableDiscord), tempDir());
    await sendHalf(await running.url());
    const { ended } = await stop(running, { signal: 'SIGTERM', after: 0 }, { signal: 'SIGHUP', after: 500 });
    expect(ended).toBe(0);
    expect(running.output()).toContain('"stopped"');
  });
});

describe('the embedded app, stopped by its caller', () => {
  async function embedded() {
    const logLines: string[] = [];
    const log = createLog({
      level: 'info',
      secrets: [],
      destination: { write: (line: string) => void logLines.push(line) },
    });
    const probe = createServer().listen(0, 'localhost');
    await once(probe, 'listening');
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const url = `sqlite:${join(tempDir(), 'tally.db')}`;
    const changes = { DATABASE_URL: url, CACHE_URL: 'memory:', HOST: 'localhost', PORT: String(port) };
    const app = await createApp(loadConfig({ ...settings(unreachableDiscord), ...changes }), {
      clock: systemClock,
      log,
    });
    onTestFinished(() => app.stop());
    return { app, logLines, url: `http://localhost:${port}/healthz` };
  }

  it('while it starts does not listen or log that it does', async () => {
    const { app, logLines, url } = await embedded();
    const starting = app.start();
    await app.stop();
    expect(await starting).toBe(null);
    await expect(fetch(url)).rejects.toThrow();
    expect(logLines.join()).not.toContain('receiving webhooks');
  });

  it('does not start again', async () => {
    const { app, url } = await embedded();
    await app.stop();
    expect(await app.start()).toBe(null);
    await expect(fetch(url)).rejects.toThrow();
  });
});
