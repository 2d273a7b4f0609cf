import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { minute, second } from '../../src/platform/durations.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { voteSecret } from '../support/listings.ts';
import { createSender } from '../support/sender.ts';
import { settings } from '../support/settings.ts';
import { type Program, startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const rounds = Math.ceil(Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 12) / 8);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const voters = 12;

/**
 * Each round, votes are received, their period is made to end, and the programs are killed about when its digest is
 * posted. Afterwards there is one digest per round, with all its votes.
 */
async function survivesKills(options: {
  readonly url: string;
  readonly directory: string;
  readonly processes: number;
  readonly run: (sql: string) => void;
}): Promise<void> {
  const { url: databaseUrl, directory, processes, run } = options;
  const random = createPrng(seed);
  const discord = await startLocalDiscord({ rateLimits: false });
  onTestFinished(() => discord.stop());
  const file = join(directory, 'listings.json');
  const listing = {
    ...{ name: 'harbour', kind: 'server', id: discord.guildId, lookupKey: 'key-for-tests', voteSecrets: [voteSecret] },
    announceChannelId: discord.channels.announcements,
    announcements: { mode: 'digest', every: '5m' },
  };
  writeFileSync(file, JSON.stringify({ listings: [listing] }), { mode: 0o600 });
  const {
    LOOKUP_SERVER_KEY: _,
    VOTE_WEBHOOK_SECRET: _vote,
    PREMIUM_WEBHOOK_SECRET: _premium,
    ...shared
  } = settings(discord);
  const environment = { ...shared, DATABASE_URL: databaseUrl, TALLYHOOK_CONFIG: file };
  const { send } = createSender(10);
  const start = () => Array.from({ length: processes }, () => startProgram(['start'], environment, directory));
  const digests = () => discord.messages(discord.channels.announcements).map((message) => JSON.stringify(message));

  async function killAll(programs: readonly Program[]): Promise<void> {
    for (const { process } of programs) process.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    run("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
    run('DELETE FROM leases');
    run('DELETE FROM lease_holders');
  }

  for (let round = 1; round <= rounds; round += 1) {
    let programs = start();
    const [url = ''] = await Promise.all(programs.map((program) => program.url()));
    // Another number of votes in each round, so that each digest is different.
    for (let index = 0; index < voters + round; index += 1) {
      const vote = {
        event: 'server_vote',
        userId: `9000000000000${round + 10}${index + 100}`,
        timestamp: new Date().toISOString(),
      };
      expect(await send(url, { family: 'vote', body: JSON.stringify(vote) })).toMatchObject({ outcome: 'recorded' });
    }
    await killAll(programs);
    // The period of the votes is over, and that of the next round begins with the next full five minutes.
    run(
      `UPDATE deliveries SET received_at = received_at - ${10 * minute} WHERE received_at > ${Date.now() - 5 * minute}`,
    );
    run(`UPDATE announcement_progress SET until_at = ${Date.now() - 20 * minute} WHERE key = 'digest harbour'`);
    for (let kill = 0; kill < 2; kill += 1) {
      programs = start();
      const posted = Promise.withResolvers<void>();
      const onRequest = ({ path, method }: { path: string; method: string }) => {
        if (method === 'POST' && /\/messages$/.test(path)) posted.resolve(wait(10 * random()));
      };
      discord.events.on('request', onRequest);
      await Promise.race([posted.promise, wait(4 * second + second * random())]);
      discord.events.off('request', onRequest);
      await killAll(programs);
    }
    programs = start();
    await vi.waitFor(() => expect(digests().length).toBeGreaterThanOrEqual(round), { timeout: 45_000, interval: 100 });
    await wait(second);
    await killAll(programs);
    expect(digests()).toHaveLength(round);
    expect(digests().at(-1)).toContain(`**${voters + round}** votes from **${voters + round}** members`);
    // What follows is of a later round.
    run(`UPDATE deliveries SET received_at = received_at - 86400000 WHERE received_at > ${Date.now() - 60 * minute}`);
  }
}

it(`each vote is in one digest after ${3 * rounds} kills (seed ${seed})`, {
  timeout: 60_000 + rounds * 90_000,
}, async () => {
  const directory = tempDir();
  const file = join(directory, 'tallyhook.db');
  const run = (sql: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  await survivesKills({ url: `sqlite:${file}`, directory, processes: 1, run });
});

describeOnPostgres('with two programs on PostgreSQL', (server) => {
  it(`each vote is in one digest after ${3 * rounds} kills (seed ${seed})`, {
    timeout: 60_000 + rounds * 90_000,
  }, async () => {
    const url = server().newDatabase();
    await survivesKills({ url, directory: tempDir(), processes: 2, run: (sql) => server().runSql(sql, url) });
  });
});
