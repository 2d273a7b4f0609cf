import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { withoutSecrets } from '../../src/core/receiving/listing.ts';
import { listingsWithCommunity } from '../../src/features/communities/listings.ts';
import { partyKey } from '../../src/features/party/rules.ts';
import { day, hour } from '../../src/platform/durations.ts';
import { describeOnEveryDatabase, describeOnPostgres } from '../contracts/databases.ts';
import { addCommunity, communityIdsOf, firstCommunity } from '../support/communities.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { recordVote } from '../support/record-vote.ts';
import { runSql } from '../support/run-sql.ts';
import { launcher } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  castVote,
  guildId,
  type Installation,
  installation,
  isConsistent,
  monday,
  openLedger,
  runRewards,
} from '../support/voting.ts';
import { backfill, castVotes, comparison, expectBackfill, milestoneRole, rules } from './backfilled-rewards.ts';

function backfillTests(newUrl: () => string): void {
  it('pays parties that have ended, and a late vote for one, once', async () => {
    const url = newUrl();
    const store = await openLedger(url, monday + 200 * day);
    const community = installation(url, rules);
    await castVotes(store, installation(url, { vote: 10 }), 0, 21);
    await backfill(community, '--yes');
    const paid = await comparison(community);
    expect(paid['party']?.paid).toEqual(paid['party']?.simulated);
    expect(paid['party']?.paid).toMatchObject({ entries: 9 });
    // Of one who was paid, and of one who did not vote in that week.
    const week = { period: partyKey(firstCommunity, 'week 2026-W02'), goal: 12, credits: 25, day: 20_458 };
    await castVote(store, community, '1', monday + 13 * hour);
    await castVote(store, community, '9', monday + hour);
    await store.party.pay(week, monday + 200 * day);
    expect(await store.ledgerIn(firstCommunity).account('9')).toMatchObject({ credits: 10 + 25 });
    expect((await comparison(community))['party']?.paid).toMatchObject({ entries: 10 });
    expect(await backfill(community, '--yes')).toMatchObject({ paid: false, members: 0 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('grants the roles of milestones', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, { milestones: [{ votes: 2, role: milestoneRole }] });
    await castVotes(store, installation(url, {}), 0, 4);
    expect(await backfill(community, '--yes')).toMatchObject({ paid: true, members: 3, roles: 3, causes: [] });
    expect(await store.roles.isGranted({ guildId, userId: '1', role: milestoneRole }, monday)).toBe(true);
    const effects = await store.records.effects({ state: 'waiting', before: null, limit: 10 });
    expect(effects.map(({ kind }) => kind)).toEqual(['role', 'role', 'role']);
    expect(await backfill(community, '--yes')).toMatchObject({ members: 0, roles: 0 });
  });
}

describe('tallyhook rewards backfill', () => {
  describeOnEveryDatabase('the backfill', backfillTests);

  describeOnPostgres('the backfill on PostgreSQL', (server) => {
    it('pays what the rules would have paid from the first vote on, once', () =>
      expectBackfill(server().newDatabase()));
  });

  it('pays each community of the file by its own votes, into its own accounts', async () => {
    const url = `sqlite:${tempDir()}/tally.db`;
    const store = await openLedger(url);
    const [first, second] = ['1000', '2000'];
    const install = (own: object) => {
      const listings = [first, second].map((guildId) => ({
        ...harbour,
        name: `in-${guildId}`,
        id: guildId,
        guildId,
        rewards: own,
      }));
      const environment = { ...environmentWith(listings), DATABASE_URL: url };
      const configured = loadConfig(environment).listings;
      return { environment, listings: listingsWithCommunity(configured, communityIdsOf(configured)) };
    };
    await store.communityIds.addConfigured([first, second]);
    const other = await addCommunity(store, second);
    const vote = (name: string, userId: string, number: number) => {
      const listing = install({}).listings.find((each) => each.name === name);
      if (listing === undefined) throw new Error('no listing');
      return recordVote(store, withoutSecrets(listing), userId, monday + number * day);
    };
    // A vote for each community reaches nothing; two for one do, there alone.
    await vote('in-1000', '1', 0);
    await vote('in-2000', '1', 0);
    await vote('in-2000', '2', 0);
    await vote('in-2000', '2', 1);
    const { environment } = install({ milestones: [{ votes: 2, credits: 100 }] });
    const { code, stdout } = await runRewards({ environment }, 'backfill', '--json', '--yes');
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      ...{ code: 0, paid: true, members: 1, roles: 0 },
      causes: [{ cause: 'milestone', entries: 1, credits: 100 }],
    });
    expect((await store.ledgerIn(other).account('2')).credits).toBe(120);
    expect(await store.ledgerIn(firstCommunity).account('2')).toMatchObject({ credits: 0, votes: 0 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('is complete after it was killed again and again', { timeout: 300_000 }, async () => {
    const votedOnly = `sqlite:${tempDir()}/tally.db`;
    const store = await openLedger(votedOnly);
    const before = installation(votedOnly, { vote: 10 });
    const members = Array.from({ length: 400 }, (_, index) => String(1_000 + index));
    await Promise.all(
      members.flatMap((userId) =>
        [0, 1, 2, 3].map((number) => castVote(store, before, userId, monday + number * day + hour)),
      ),
    );
    // Four votes, a streak, two milestones.
    const complete = members.length * (4 * 10 + 50 + 100 + 5);
    /** Kills the backfill when it has paid something. Returns the credits that all members have then. */
    async function killedBackfill({ environment }: Installation, path: string): Promise<number> {
      const paidBefore = creditsIn(path);
      const env = { PATH: process.env['PATH'] ?? '', ...environment };
      const child = spawn(process.execPath, [launcher, 'rewards', 'backfill', '--yes'], { env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      while (child.exitCode === null && creditsIn(path) === paidBefore) await sleep(1);
      child.kill('SIGKILL');
      await exited;
      return creditsIn(path);
    }

    for (let kills = 0; kills < 3; ) {
      const path = join(tempDir(), 'tally.db');
      await runSql(votedOnly, `VACUUM INTO '${path}'`);
      const community = installation(`sqlite:${path}`, { ...rules, party: undefined });
      // On a busy machine it may be complete before it is killed: then once more from the start.
      for (kills = 0; kills < 3 && (await killedBackfill(community, path)) < complete; ) kills += 1;
      await backfill(community, '--yes');
      expect(creditsIn(path)).toBe(complete);
      expect(await isConsistent(`sqlite:${path}`)).toBe(true);
    }
  });
});

function creditsIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 60_000 });
  const row = database.prepare('SELECT sum(credits) AS credits FROM balances').get();
  database.close();
  return Number(row?.['credits']);
}
