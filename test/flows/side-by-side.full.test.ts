import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, vi } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { firstCommunity } from '../support/communities.ts';
import { localDiscord } from '../support/local-discord.ts';
import { blocksOf } from '../support/message-text.ts';
import { createSender } from '../support/sender.ts';
import { fetchOwnerApi, settings } from '../support/settings.ts';
import { launcher, type Program, startProgram } from '../support/start-program.ts';
import { isConsistent } from '../support/voting.ts';

/**
 * How long each of the four phases lasts (ms): the older version alone, both, both after a restart of it, the newer
 * alone.
 */
const phaseMs = second * Number(process.env['TALLYHOOK_SIDE_BY_SIDE_SECONDS'] ?? 0.3);
const minVotesPerPhase = 30;
const connections = 8;
/** Between two votes of a connection (ms). Programs that start need the processors, too. */
const pauseMs = 100;
const perVote = 10;
/** Their votes are recorded by both versions, often at the same time. */
const members = 40;

interface SentVote {
  readonly userId: string;
  readonly body: string;
}

/** Votes of one member are 13 hours apart, so each of them is paid, in whatever order they are recorded. */
function voteNumber(index: number, now: number): SentVote {
  const userId = String(7_000_000 + (index % members));
  const timestamp = new Date(now - Math.floor(index / members) * 13 * hour).toISOString();
  return { userId, body: JSON.stringify({ event: 'server_vote', userId, timestamp }) };
}

/** Prints what the older version finds wrong in the ledger: its own audit, run by its own sources. */
const auditOfOlder = `
  const { openSnapshot } = await import('./src/core/store/snapshots/snapshot.ts');
  const audit = await import('./src/core/store/snapshots/audit.ts');
  const snapshot = await openSnapshot(process.argv[1]);
  const { balanceDifferences, paymentDifferences, orphanedRows, brokenLinks } = audit;
  console.log(JSON.stringify([
    (await balanceDifferences(snapshot)).count, (await paymentDifferences(snapshot)).count,
    ...Object.values(await orphanedRows(snapshot)), await brokenLinks(snapshot),
  ]));
  await snapshot.close();`;

const repository = new URL('../..', import.meta.url).pathname;

/** What a next version could need of the table that every vote writes to. */
const migration = `
import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migrate.ts';
import type { Dialect } from '../dialect/dialect.ts';

export function next({ name }: Dialect): Migration {
  const ifNotExists = sql.raw(name === 'postgres' ? 'if not exists' : '');
  return {
    compatible: true,
    async up(db) {
      await sql\`alter table entries add column \${ifNotExists} doubled bigint\`.execute(db);
      await sql\`update entries set doubled = credits * 2\`.execute(db);
      await sql\`create index if not exists entries_doubled on entries (doubled)\`.execute(db);
    },
  };
}
`;

/**
 * Copies the sources into a temporary directory, which is removed when the test has finished, and adds a compatible
 * migration. They run with the installed packages. Returns the directory.
 */
function createNextVersion(): string {
  const directory = join(tempDir(), 'next-version');
  mkdirSync(directory);
  for (const path of ['package.json', 'src', 'commands', 'config', 'locales'])
    cpSync(join(repository, path), join(directory, path), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
  const folder = join(directory, 'src/core/store/migrations');
  writeFileSync(join(folder, '002-next.ts'), migration);
  const index = join(folder, 'index.ts');
  const text = readFileSync(index, 'utf8');
  writeFileSync(
    index,
    `import { next } from './002-next.ts';\n${text.replace(/^(const all: .* = \{\n)([^}]*)/m, "$1$2  '002-next': next,\n")}`,
  );
  return directory;
}

/** Two versions by the folders of their sources. */
interface Versions {
  readonly older: string;
  readonly newer: string;
}

/** This version beside a next one, whose migration changes the tables of votes in steps. */
function versions(): Versions {
  return { older: repository, newer: createNextVersion() };
}

/**
 * The older version receives votes while the newer one migrates its database. Both receive the same and different
 * votes, until the older one is stopped, which is also started again on the migrated database.
 */
async function runSideBySide({ older, newer }: Versions, databaseUrl: string, oldProcesses: number): Promise<void> {
  const discord = await localDiscord({ rateLimits: false });
  // Two programs with all roles may not share a SQLite file.
  const environment = {
    ...{ ...settings(discord), DATABASE_URL: databaseUrl, CACHE_URL: 'memory:' },
    TALLYHOOK_ROLES: 'receive,announce',
  };
  const run = (entryFile: string) => startProgram(['start'], environment, tempDir(), [], entryFile);
  // Bundled, so that it starts in a third of the time.
  const startOlder = () => run(launcher);
  const old = Array.from({ length: oldProcesses }, startOlder);
  const oldUrls = await Promise.all(old.map(({ url }) => url()));

  const { send } = createSender(connections);
  const now = Date.now();
  const votes: SentVote[] = [];
  let urls = oldUrls;
  let acknowledgedVotes = 0;
  let duplicates = 0;
  let isStopped = false;

  /** Sends a vote until it is acknowledged, as the service does. A quarter of them go to two processes at once. */
  async function deliver(vote: SentVote): Promise<void> {
    const [one = '', other = one] = urls.toSorted(() => Math.random() - 0.5);
    const targets = Math.random() < 0.25 ? [one, other] : [one];
    const responses = await Promise.all(targets.map((url) => send(url, { family: 'vote', body: vote.body })));
    const acknowledged = responses.filter((response) => response?.status === 200);
    for (const response of responses) {
      if (response !== null && response.status !== 200) expect(response).toMatchObject({ status: 503 });
    }
    duplicates += acknowledged.filter((response) => response?.outcome === 'duplicate').length;
    if (acknowledged.length > 0) {
      acknowledgedVotes += 1;
      return;
    }
    await wait(20);
    await deliver(vote);
  }

  const sending = Array.from({ length: connections }, async () => {
    while (!isStopped) {
      const vote = voteNumber(votes.length, now);
      votes.push(vote);
      await deliver(vote);
      await wait(pauseMs);
    }
  });
  const load = Promise.all(sending);
  /** Each phase has acknowledged votes. */
  const nextPhase = async () => {
    const before = acknowledgedVotes;
    await Promise.race([wait(phaseMs), load]);
    while (acknowledgedVotes < before + minVotesPerPhase) await Promise.race([wait(20), load]);
  };

  await nextPhase();
  const current = run(join(newer, 'src/launch.js'));
  const url = await current.url();
  urls = [...oldUrls, url];
  await nextPhase();
  // The schema is the newer one by now, and an older process starts on it nevertheless.
  urls = [url];
  await stopAll(old);
  const restarted = startOlder();
  urls = [await restarted.url(), url];
  await nextPhase();
  urls = [url];
  await stopAll([restarted]);
  await nextPhase();
  isStopped = true;
  await load;
  expect(duplicates).toBeGreaterThan(0);

  const announced = () =>
    discord
      .messages(discord.channels.announcements)
      .flatMap(blocksOf)
      .map((text) => /<@(\d+)>/.exec(text)?.[1] ?? '');
  await vi.waitFor(
    async () => expect(await fetchOwnerApi(url, '/effects?state=waiting')).toMatchObject({ effects: [] }),
    { timeout: 30_000 + phaseMs, interval: 50 },
  );
  await stopAll([current]);
  const expected = Object.groupBy(votes, ({ userId }) => userId);
  const posted = Object.groupBy(announced(), (userId) => userId);
  const store = await openStore(databaseUrl, systemClock, { thread: false });
  for (const [userId, own = []] of Object.entries(expected)) {
    const account = { userId, credits: own.length * perVote, votes: own.length };
    expect(await store.ledgerIn(firstCommunity).account(userId)).toEqual(account);
    expect(posted[userId]?.length).toBe(own.length);
  }
  const { deliveries, ...counts } = await store.records.counts();
  expect(deliveries.recorded).toBe(votes.length);
  expect(counts).toMatchObject({ credits: votes.length * perVote, votes: votes.length, users: members });
  expect(counts.effects).toEqual({ waiting: 0, buried: 0, done: votes.length });
  await store.close();
  expect(await isConsistent(databaseUrl)).toBe(true);
  const faults = execFileSync(process.execPath, ['--input-type=module', '--eval', auditOfOlder, '--', databaseUrl], {
    cwd: older,
    encoding: 'utf8',
  });
  expect(JSON.parse(faults)).toEqual([0, 0, 0, 0, 0, 0]);
}

async function stopAll(programs: readonly Program[]): Promise<void> {
  for (const { process } of programs) process.kill('SIGTERM');
  for (const { ended, output } of programs) expect(await ended, output()).toBe(0);
}

const options = { timeout: 240_000 + 8 * phaseMs };
const description = 'beside an older version, under load: nothing is lost, nothing is paid or announced twice';

it(`migrates and runs on SQLite ${description}`, options, () =>
  runSideBySide(versions(), `sqlite:${join(tempDir(), 'tallyhook.db')}`, 1),
);

describeOnPostgres('on PostgreSQL', (server) => {
  it(`migrates and runs ${description}`, options, () => runSideBySide(versions(), server().newDatabase(), 2));
});
