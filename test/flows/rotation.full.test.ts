import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@tallyhook/platform/testing/postgres';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, vi } from 'vitest';
import { fetchOwnerApi, settings, unreachableDiscord } from '../support/settings.ts';
import { postVote } from '../support/start-app.ts';
import { type Program, startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 30_000, interval: 20 };

const {
  VOTE_WEBHOOK_SECRET: _secret,
  PREMIUM_WEBHOOK_SECRET: _premium,
  ...withoutSecret
} = settings(unreachableDiscord);
const { PORT: _port, ...withoutPort } = withoutSecret;

/** Starts a program with its vote secret in a file. `write` changes the file. */
async function startWithSecretFile(secret: string) {
  const directory = tempDir();
  const file = join(directory, 'vote-secret');
  const write = (secrets: string) => writeFileSync(file, `${secrets}\n`, { mode: 0o600 });
  write(secret);
  const environment = { ...withoutSecret, VOTE_WEBHOOK_SECRET_FILE: file };
  const start = (port: string) => startProgram(['start'], { ...environment, PORT: port }, directory);
  const running = start(String(await freePort()));
  const url = await running.url();
  return { directory, running, startAgain: () => start(new URL(url).port), url, write };
}

const vote = (url: string, userId: string, secret: string, at = Date.now()) =>
  postVote(url, userId, { secret, at }).then(
    ({ status }) => status,
    () => null,
  );

/**
 * Sends votes of new users over eight connections until stopped, signed with each secret in turn. Collects the statuses
 * by user.
 */
function startSenders(url: string, secrets: readonly string[]) {
  const statuses = new Map<string, (number | null)[]>();
  const at = Date.now();
  const prefix = secrets.map((secret) => Buffer.from(secret).readUInt16BE()).join('');
  let stopped = false;
  let sent = 0;
  /** Retries until the vote is accepted, like the service. */
  async function deliver(userId: string, secret: string) {
    const attempts: (number | null)[] = [];
    statuses.set(userId, attempts);
    while (attempts.at(-1) !== 200) {
      if (attempts.length > 0) await wait(20);
      attempts.push(await vote(url, userId, secret, at));
    }
  }
  const sending = Array.from({ length: 8 }, async () => {
    while (!stopped) {
      sent += 1;
      await deliver(`${prefix}${sent}`, secrets[sent % secrets.length] ?? '');
    }
  });
  return {
    statuses,
    stop: async () => {
      stopped = true;
      await Promise.all(sending);
      return statuses.size;
    },
  };
}

const readSummary = (url: string) => fetchOwnerApi<object>(url, '/summary');

async function reloadSettings(running: Program, reload: () => void) {
  const count = () => running.output().split('configuration reloaded').length - 1;
  const before = count();
  reload();
  running.process.kill('SIGHUP');
  await vi.waitFor(() => expect(count()).toBe(before + 1), waitOptions);
}

describe('a secret', { timeout: 120_000 }, () => {
  it('can be changed under load without a restart, and every delivery with a valid one is accepted; an invalid one is reported and changes nothing', async () => {
    const { running, url, write } = await startWithSecretFile('old-secret');
    const old = startSenders(url, ['old-secret']);
    await vi.waitFor(() => expect(old.statuses.size).toBeGreaterThan(50), waitOptions);

    await reloadSettings(running, () => write('old-secret,new-secret'));
    const both = startSenders(url, ['new-secret', 'old-secret']);
    await vi.waitFor(() => expect(both.statuses.size).toBeGreaterThan(50), waitOptions);
    let total = (await old.stop()) + (await both.stop());

    const next = startSenders(url, ['new-secret']);
    await reloadSettings(running, () => write('new-secret'));
    expect(await vote(url, '1', 'old-secret')).toBe(401);
    await vi.waitFor(() => expect(next.statuses.size).toBeGreaterThan(50), waitOptions);
    total += await next.stop();

    const allStatuses = [old, both, next].flatMap(({ statuses }) => [...statuses.values()].flat());
    expect(new Set(allStatuses)).toEqual(new Set([200]));
    expect(await readSummary(url)).toMatchObject({ votes: total, credits: 10 * total });

    write('next-secret,,');
    running.process.kill('SIGHUP');
    await vi.waitFor(() => expect(running.output()).toContain('the previous settings stay active'), waitOptions);
    expect(running.output()).toContain('VOTE_WEBHOOK_SECRET');
    expect(await vote(url, '2', 'new-secret')).toBe(200);
    expect(await vote(url, '3', 'next-secret')).toBe(401);
    for (const secret of ['old-secret', 'new-secret', 'next-secret']) expect(running.output()).not.toContain(secret);
  });

  it('is also reloaded from .env, and settings that need a restart are reported', async () => {
    const directory = tempDir();
    const dotEnv = (secret: string, port: string) =>
      writeFileSync(join(directory, '.env'), `VOTE_WEBHOOK_SECRET=${secret}\nPORT=${port}\n`);
    dotEnv('old-secret', '0');
    const running = startProgram(['start'], { ...withoutPort, DATABASE_URL: 'sqlite:another.db' }, directory);
    const url = await running.url();
    expect(await vote(url, '1', 'old-secret')).toBe(200);
    await reloadSettings(running, () => dotEnv('new-secret', '8080'));
    expect(await vote(url, '2', 'new-secret')).toBe(200);
    expect(await vote(url, '3', 'old-secret')).toBe(401);
    await vi.waitFor(() => expect(running.output()).toContain('"settings":["HOST, PORT"]'), waitOptions);
  });
});

describe('a restart under load', { timeout: 120_000 }, () => {
  it('loses no delivery of a sender that retries, and counts none twice', async () => {
    const { running, startAgain, url } = await startWithSecretFile('old-secret');
    const sending = startSenders(url, ['old-secret']);
    await vi.waitFor(() => expect(sending.statuses.size).toBeGreaterThan(50), waitOptions);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    await startAgain().url();
    const before = sending.statuses.size;
    await vi.waitFor(() => expect(sending.statuses.size).toBeGreaterThan(before + 50), waitOptions);
    const total = await sending.stop();
    const retried = [...sending.statuses.values()].filter((attempts) => attempts.length > 1);
    expect(retried.length).toBeGreaterThan(0);
    expect(retried.flat().filter((status) => status !== null && status !== 200)).toEqual([]);
    expect(await readSummary(url)).toMatchObject({ votes: total, credits: 10 * total });
  });
});
