import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { createLog } from '@tallyhook/platform/log';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { testCache } from '@tallyhook/platform/testing/test-cache';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReceiverListing } from '../../config/receiver-options.ts';
import { createReceiver, type ReceiverOptions, type VoteReceiver } from '../../src/app/receiver-app.ts';
import type { VoteEvent } from '../../src/core/outbox/handler-events.ts';
import { sign } from '../../src/webhook/signature.ts';

const listing: ReceiverListing = { name: 'server', kind: 'server', id: '1', voteSecrets: ['secret'] };
const log = createLog({ level: 'silent', secrets: [] });

async function receiver(options: Partial<ReceiverOptions> = {}): Promise<VoteReceiver> {
  const created = await createReceiver({ listings: [listing], database: ':memory:', port: 0, log, ...options });
  onTestFinished(() => created.stop());
  return created;
}

const entry = new URL('../../src/exports/receiver.ts', import.meta.url).href;

/** The output of a module that is in no file. */
async function runModule(code: string, args: readonly string[] = ['-']): Promise<string> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(testCache, 'samples') };
  const running = promisify(execFile)(process.execPath, ['--input-type=module', ...args.filter(Boolean)], { env });
  running.child.stdin?.end(code);
  return (await running).stdout;
}

async function post(url: string | null, payload: object, secret = 'secret'): Promise<unknown> {
  const body = JSON.stringify(payload);
  const headers = { 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body });
  const { outcome = null } = (await response.json()) as { outcome?: string };
  return outcome ?? response.status;
}

const vote = (userId: string) => ({ event: 'server_vote', userId, serverId: '1', timestamp: new Date().toISOString() });

describe('createReceiver', () => {
  it('counts and pays votes by the rules, and answers with the ledger', async () => {
    const { start, ledger } = await receiver({
      listings: [
        { ...listing, rewards: { vote: 3, streak: { every: 1, credits: 4 }, milestones: [{ votes: 1, credits: 5 }] } },
      ],
    });
    const url = await start();
    const first = vote('42');
    expect(await post(url, first)).toBe('recorded');
    expect(await post(url, first)).toBe('duplicate');
    expect(await post(url, first, 'another')).toBe(401);
    expect(await post(url, { ...vote('43'), test: true })).toBe('test');
    expect(await ledger.account('42')).toEqual({ userId: '42', credits: 12, votes: 1 });
    expect(await ledger.spend({ userId: '42', credits: 2, reason: 'a sword', key: 'order 1' })).toMatchObject({
      balance: 10,
    });
    expect(await ledger.account('43')).toBe(null);
    expect(await ledger.entries('42', { limit: 1 })).toMatchObject([
      { credits: -2, reason: 'a sword', key: 'order 1' },
    ]);
    expect(await ledger.standings('week', 'votes')).toMatchObject({ members: [{ userId: '42', score: 1, rank: 1 }] });
    expect(await (await fetch(`${url}/readyz?role=receive`)).json()).toMatchObject({ ready: true });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('tallyhook_entries_total{cause="streak"} 1');
  });

  it('acknowledges what it has stored, also if onRecorded fails', async () => {
    const seen: string[] = [];
    const { start } = await receiver({
      onRecorded({ outcome }) {
        seen.push(outcome);
        throw new Error('a bug');
      },
    });
    const url = await start();
    expect(await post(url, vote('42'))).toBe('recorded');
    const rejecting = await receiver({ onRecorded: (): unknown => Promise.reject(new Error('a bug')) });
    expect(await post(await rejecting.start(), vote('42'))).toBe('recorded');
    expect(seen).toEqual(['recorded']);
  });

  it('calls the handlers, again after a failure and after a restart', async () => {
    const database = join(tempDir(), 'data', 'votes.db');
    const calls: string[] = [];
    const failing = await receiver({
      database,
      handlers: {
        onVote({ userId }, { id, attempt }) {
          calls.push(`${userId} ${id} ${attempt}`);
          throw new Error('not now');
        },
      },
    });
    expect(await post(await failing.start(), vote('42'))).toBe('recorded');
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    await failing.stop();

    const succeeded = Promise.withResolvers<readonly [VoteEvent, string]>();
    const restarted = await receiver({
      database,
      handlers: { onVote: (event, { id }) => succeeded.resolve([event, id]) },
    });
    await restarted.start();
    const [event, id] = await succeeded.promise;
    expect(event).toMatchObject({ userId: '42', credits: 10, balance: 10, streak: 1, listing: { name: 'server' } });
    expect(calls[0]).toBe(`42 ${id} 1`);
    expect(await restarted.ledger.account('42')).toMatchObject({ votes: 1 });
  });

  it('deletes a temporary database when it stops', async () => {
    const directory = tempDir();
    const previous = process.env['TMPDIR'];
    process.env['TMPDIR'] = directory;
    onTestFinished(() => {
      if (previous === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = previous;
    });
    const temporary = await receiver();
    const [created = ''] = readdirSync(directory);
    expect(existsSync(join(directory, created, 'votes.db'))).toBe(true);
    await Promise.all([temporary.stop(), temporary.stop()]);
    expect(readdirSync(directory)).toEqual([]);
    await expect(temporary.start()).rejects.toMatchObject({ code: 'already_stopped' });
  });

  it('warns of a process that ends without a start', async () => {
    const output = await runModule(`
      import { createReceiver } from '${entry}';
      const listings = [{ name: 'server', kind: 'server', voteSecrets: ['secret of the vote webhook'] }];
      await createReceiver({ listings, database: ':memory:', port: 0 });
    `);
    expect(output.match(/the receiver was never started/g)).toHaveLength(1);
  });

  it('reports all issues of its options, without a secret', async () => {
    const invalid = (...listings: object[]) =>
      createReceiver({ listings: listings as ReceiverListing[], database: ':memory:', log });
    const issuesOf = async (creating: Promise<unknown>) => {
      const error: unknown = await creating.then(
        () => 'created',
        (reason: unknown) => reason,
      );
      if (!(error instanceof InvalidConfigError)) throw error;
      expect(error.message).not.toContain('private');
      return error.issues.map(({ setting, problem }) => `${setting} ${problem}`);
    };
    const secrets = { voteSecrets: ['private'] };
    expect(await issuesOf(invalid())).toHaveLength(1);
    expect(
      await issuesOf(
        invalid(
          { name: 'a', kind: 'server', voteSecrets: [''] },
          { name: 'b c', kind: 'shop', ...secrets },
          { name: 'd', kind: 'bot' },
          { name: 'e', kind: 'bot', ...secrets, lookupKey: 'private' },
          { name: 'f', kind: 'bot', ...secrets, rewards: { party: { goal: 1, per: 'day', credits: 1 } } },
        ),
      ),
    ).toEqual([
      expect.stringMatching(/^listings\[0\]\.voteSecrets\[0\] is invalid/),
      expect.stringMatching(/^listings\[1\]\.name is invalid/),
      expect.stringMatching(/^listings\[1\]\.kind is invalid/),
      'listings[2] is invalid: it has no secret, so it accepts nothing.',
      'listings[3].lookupKey is not an option of createReceiver.',
      'listings[4].rewards.party is not an option of createReceiver.',
    ]);
    const milestones = [{ votes: 1, role: '80351110224678912' }];
    expect(
      await issuesOf(invalid({ name: 'a', kind: 'bot', guildId: '1', ...secrets, rewards: { milestones } })),
    ).toEqual(['listings[0].rewards gives or requires a role.']);
    expect(await issuesOf(invalid(listing, { ...listing, kind: 'bot' }))).toEqual([
      'listings is invalid: two listings have the same name, "server".',
    ]);
    expect(await issuesOf(createReceiver({ listings: [listing], database: 'postgres://localhost/a', log }))).toEqual([
      'database is invalid: it must be the path of a file.',
    ]);
  });
});

/** The addresses of all modules that a program loads. */
async function modulesLoadedBy(program: string): Promise<readonly string[]> {
  const directory = tempDir();
  const hooks = join(directory, 'record-modules.mjs');
  const recordModules = `
    import { registerHooks } from 'node:module';
    import { isMainThread } from 'node:worker_threads';
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    if (isMainThread) process.on('exit', () => console.log(urls.join('\\n')));
  `;
  writeFileSync(hooks, recordModules);
  const path = join(directory, 'program.mjs');
  writeFileSync(path, program);
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', hooks, path]);
  return stdout.split('\n');
}

describe('tallyhook/receiver', () => {
  const program = `
    import { createReceiver, sign } from '${entry}';
    const listings = [{ name: 'server', kind: 'server', voteSecrets: ['secret of the vote webhook'] }];
    const receiver = await createReceiver({ listings, database: ':memory:', port: 0 });
    const body = JSON.stringify({ event: 'server_vote', userId: '42' });
    const headers = { 'x-webhook-signature': sign(body, 'secret of the vote webhook') };
    const response = await fetch((await receiver.start()) + '/webhooks/vote', { method: 'POST', headers, body });
    console.log((await response.json()).outcome);
    await receiver.stop();
  `;

  it.each([
    ['--eval', program],
    ['-', ''],
  ])('records votes in a module that Node gets by %s, with whatever options', async (...args) => {
    expect(await runModule(program, args)).toContain('recorded');
  });

  const foreign =
    /node_modules\/(?:discord\.js|@discordjs|discord-api-types|ws|ky|pg|keyv|@keyv|@takumi-rs)\/|\/src\/discord\//;

  it('loads neither discord.js nor what only other parts of the program need', async () => {
    const entry = new URL('../../src/exports/receiver.ts', import.meta.url).href;
    const modules = await modulesLoadedBy(`
      import { createReceiver } from '${entry}';
      const receiver = await createReceiver({
        listings: [{ name: 'server', kind: 'server', voteSecrets: ['secret'] }],
        database: ':memory:',
        handlers: { onVote() {} },
        port: 0,
      });
      await receiver.start();
      await receiver.stop();
    `);
    expect(modules.some((url) => url.includes('node_modules/kysely/'))).toBe(true);
    expect(modules.filter((url) => foreign.test(url))).toEqual([]);
  });
});
