import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, second } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { weekOf } from '../../src/core/rewards/calendar.ts';
import { prepareCommunities } from '../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../src/features/communities/directory.ts';
import { openStore } from '../../src/features/store.ts';
import { firstCommunity } from '../support/communities.ts';
import { voteSecret } from '../support/listings.ts';
import { environmentWith } from '../support/listings-file.ts';
import { localDiscord } from '../support/local-discord.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { recordVote } from '../support/record-vote.ts';
import { startProgram } from '../support/start-program.ts';
import { isConsistent } from '../support/voting.ts';

const kills = Number(process.env['TALLYHOOK_KILLS'] ?? 2);
const members = Array.from({ length: 4_000 }, (_, index) => String(80_351_110_224_678_912n + BigInt(index)));
/** Of the week before the last one, so that it is due on every day and hour. */
const firstDay = weekOf(Math.floor(Date.now() / day)) - 14;
const settlement = { communityId: firstCommunity, per: 'week', by: 'votes', firstDay } as const;

/** Reads what is paid, as often as a settlement takes, which is too short for a snapshot of each moment. */
function reader(url: string) {
  const database = new DatabaseSync(url.replace('sqlite:', ''), { readOnly: true });
  onTestFinished(() => database.close());
  const payments = database.prepare("SELECT account_id, credits FROM entries WHERE cause = 'prize'");
  const count = database.prepare("SELECT count(*) AS paid FROM entries WHERE cause = 'prize'");
  const settled = database.prepare("SELECT 1 FROM prize_settlements WHERE first_day = ? AND state = 'settled'");
  return {
    paid: () => payments.all(),
    countPaid: () => Number(count.get()?.['paid']),
    isSettled: () => settled.get(firstDay) !== undefined,
  };
}

it(`pays each of ${members.length} winners once, through ${kills} kills`, { timeout: 600 * second }, async () => {
  const discord = await localDiscord();
  const { guildId, channels } = discord;
  const url = newSqliteUrl();
  const prizes = [{ per: 'week', by: 'votes', places: [{ from: 1, credits: 3 }] }];
  const environment = {
    ...environmentWith([
      {
        ...{ name: 'harbour', kind: 'server', id: guildId, guildId, lookupKey: 'key-for-tests' },
        ...{ voteSecrets: [voteSecret], announceChannelId: channels.announcements },
        ...{ rewards: { prizes }, announcements: { mode: 'none' } },
      },
    ]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_GUILD_ID: guildId },
    ...{ DATABASE_URL: url, CACHE_URL: 'memory:', PORT: '0' },
  };
  const store = await openStore(url, systemClock, { thread: false });
  const { listings } = loadConfig(environment);
  const { of } = await prepareCommunities(store.communityIds, listings);
  const [listing] = createDirectory(listings, of).listings;
  if (listing === undefined) throw new Error('no listing');
  const at = firstDay * day + 12 * hour;
  await Promise.all(members.map((userId) => recordVote(store, listing, userId, at)));
  await store.prizes.plan([settlement], 'UTC', Date.now());
  await store.close();

  const { paid, countPaid, isSettled } = reader(url);
  for (let killed = 0; killed <= kills; killed += 1) {
    const { process: child } = startProgram(['start'], environment, tempDir());
    const exited = once(child, 'exit');
    const before = countPaid();
    while (killed < kills ? countPaid() < before + 100 : !isSettled()) await wait(2);
    child.kill('SIGKILL');
    await exited;
    // Every kill is in the middle of the payments.
    if (killed < kills) expect(isSettled()).toBe(false);
  }
  const payments = paid();
  expect(payments.every(({ credits }) => credits === 3)).toBe(true);
  expect(payments.map((row) => String(row['account_id'])).toSorted()).toEqual(
    members.map((userId) => `1:${userId}`).toSorted(),
  );
  expect(await isConsistent(url)).toBe(true);
});
