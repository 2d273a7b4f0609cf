import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { weekOf } from '../../src/core/rewards/calendar.ts';
import { prepareCommunities } from '../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../src/features/communities/directory.ts';
import { createOpeningTask } from '../../src/features/raffles/drawing.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { recompute } from '../features/raffles/drawing.ts';
import { voteSecret } from '../support/listings.ts';
import { environmentWith } from '../support/listings-file.ts';
import { localDiscord } from '../support/local-discord.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { recordVote } from '../support/record-vote.ts';
import { isConsistent } from '../support/voting.ts';
import { startNamed } from './crash/programs.ts';

const kills = Number(process.env['TALLYHOOK_KILLS'] ?? 2);
/** So many that their payment takes some time. */
const members = Array.from({ length: 4_000 }, (_, index) => String(80_351_110_224_678_912n + BigInt(index)));
/** The days of the week before the last one, so that it is due on every day and hour. */
const firstDay = weekOf(Math.floor(Date.now() / day)) - 14;
const votedAt = firstDay * day + 12 * hour;
/** From a kill to the next start by the clock of the programs: the lease of the effect has ended. */
const pauseMs = 45 * second;
const options = { timeout: 600 * second };

type Community = ReturnType<typeof createDirectory>['communities'][number];

/**
 * A community in whose week every member has voted, and programs that pay for it until they are killed.
 * @param prepare plans what is due after the week
 */
async function startWeek(rewards: object, prepare: (store: Store, community: Community) => Promise<unknown>) {
  const discord = await localDiscord();
  const { guildId, channels } = discord;
  const url = newSqliteUrl();
  const listing = {
    ...{ name: 'harbour', kind: 'server', id: guildId, guildId, lookupKey: 'key-for-tests', rewards },
    ...{ voteSecrets: [voteSecret], announceChannelId: channels.announcements, announcements: { mode: 'none' } },
  };
  const environment = {
    ...{ ...environmentWith([listing]), DATABASE_URL: url, CACHE_URL: 'memory:', PORT: '0' },
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_GUILD_ID: guildId },
  };
  const store = await openStore(url, systemClock, { thread: false });
  const { listings } = loadConfig(environment);
  const { of } = await prepareCommunities(store.communityIds, listings);
  const [community] = createDirectory(listings, of).communities;
  const [voted] = community?.listings ?? [];
  if (community === undefined || voted === undefined) throw new Error('no listing');
  await prepare(store, community);
  await Promise.all(members.map((userId) => recordVote(store, voted, userId, votedAt)));
  await store.close();

  // Reads as often as a payment takes, which is too short for a snapshot of each moment.
  const database = new DatabaseSync(url.replace('sqlite:', ''), { readOnly: true });
  onTestFinished(() => database.close());
  const statement = (sql: string) => database.prepare(sql);
  const entries = statement('SELECT account_id, credits FROM entries WHERE cause = ?');
  let started = 0;
  return {
    ...{ url, statement },
    paid: (cause: string) => entries.all(cause),
    /** Runs a program until it has done something, and kills it. */
    async runUntil(isReached: () => boolean | Promise<boolean>): Promise<void> {
      const { process: child } = startNamed('start', environment, tempDir(), started * pauseMs);
      started += 1;
      const exited = once(child, 'exit');
      while (!(await isReached())) await wait(1);
      child.kill('SIGKILL');
      await exited;
    },
  };
}

it(`pays each of ${members.length} winners of a prize once, through ${kills} kills`, options, async () => {
  const prizes = [{ per: 'week', by: 'votes', places: [{ from: 1, credits: 3 }] }];
  const { url, statement, paid, runUntil } = await startWeek({ prizes }, (store, { id: communityId }) =>
    store.prizes.plan([{ communityId, per: 'week', by: 'votes', firstDay }], 'UTC', Date.now()),
  );
  const count = statement("SELECT count(*) AS paid FROM entries WHERE cause = 'prize'");
  const settled = statement("SELECT 1 FROM prize_settlements WHERE first_day = ? AND state = 'settled'");
  const countPaid = () => Number(count.get()?.['paid']);
  const isSettled = () => settled.get(firstDay) !== undefined;
  for (let killed = 0; killed < kills; killed += 1) {
    const before = countPaid();
    await runUntil(() => countPaid() >= before + 100);
    // Every kill is in the middle of the payments.
    expect(isSettled()).toBe(false);
  }
  await runUntil(isSettled);
  const payments = paid('prize');
  expect(payments.every(({ credits }) => credits === 3)).toBe(true);
  expect(payments.map((row) => String(row['account_id'])).toSorted()).toEqual(
    members.map((userId) => `1:${userId}`).toSorted(),
  );
  expect(await isConsistent(url)).toBe(true);
});

it(`pays the winners of a raffle once, through ${kills} kills of its draw`, options, async () => {
  const raffle = { per: 'week', winners: 25, credits: 3 };
  const { url, statement, paid, runUntil } = await startWeek({ raffle }, (store, community) =>
    createOpeningTask(community, { store, clock: manualClock(votedAt) })(),
  );
  const states = statement('SELECT state, file FROM raffles WHERE first_day = ?');
  const sum = statement("SELECT sum(attempts) AS attempts FROM effects WHERE kind = 'raffleDraw'");
  const attempts = () => Number(sum.get()?.['attempts'] ?? 0);
  const isDrawn = () => states.get(firstDay)?.['state'] === 'drawn';
  for (let killed = 0; killed <= kills; killed += 1) {
    const before = attempts();
    await runUntil(async () => {
      if (killed === kills || isDrawn()) return isDrawn();
      if (attempts() === before) return false;
      // Each one a little later: while members are read, drawn, paid, and afterwards.
      await wait(killed * 15);
      return true;
    });
    // All of it or nothing.
    expect([0, raffle.winners]).toContain(paid('raffle').length);
    expect(isDrawn()).toBe(paid('raffle').length > 0);
  }
  const payments = paid('raffle');
  expect(payments.every(({ credits }) => credits === raffle.credits)).toBe(true);
  expect(new Set(payments.map((row) => row['account_id'])).size).toBe(raffle.winners);
  expect(recompute(String(states.get(firstDay)?.['file'])).winners).toHaveLength(raffle.winners);
  expect(await isConsistent(url)).toBe(true);
});
