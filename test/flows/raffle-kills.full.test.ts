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
import { openStore } from '../../src/features/store.ts';
import { recompute } from '../features/raffles/drawing.ts';
import { voteSecret } from '../support/listings.ts';
import { environmentWith } from '../support/listings-file.ts';
import { localDiscord } from '../support/local-discord.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { recordVote } from '../support/record-vote.ts';
import { startProgram } from '../support/start-program.ts';
import { isConsistent } from '../support/voting.ts';

const kills = Number(process.env['TALLYHOOK_KILLS'] ?? 2);
/** So many that the draw takes some time. */
const members = Array.from({ length: 4_000 }, (_, index) => String(80_351_110_224_678_912n + BigInt(index)));
/** Of the week before the last one, so that it is due on every day and hour. */
const firstDay = weekOf(Math.floor(Date.now() / day)) - 14;

function reader(url: string) {
  const database = new DatabaseSync(url.replace('sqlite:', ''), { readOnly: true });
  onTestFinished(() => database.close());
  const payments = database.prepare("SELECT account_id, credits FROM entries WHERE cause = 'raffle'");
  const states = database.prepare('SELECT state, file FROM raffles WHERE first_day = ?');
  const attempts = database.prepare("SELECT sum(attempts) AS attempts FROM effects WHERE kind = 'raffleDraw'");
  return {
    paid: () => payments.all(),
    raffle: () => states.get(firstDay),
    attempts: () => Number(attempts.get()?.['attempts'] ?? 0),
  };
}

it(`pays the winners of a raffle once, through ${kills} kills of its draw`, { timeout: 600 * second }, async () => {
  const discord = await localDiscord();
  const { guildId, channels } = discord;
  const url = newSqliteUrl();
  const raffle = { per: 'week', winners: 25, credits: 3 };
  const environment = {
    ...environmentWith([
      {
        ...{ name: 'harbour', kind: 'server', id: guildId, guildId, lookupKey: 'key-for-tests' },
        ...{ voteSecrets: [voteSecret], announceChannelId: channels.announcements },
        ...{ rewards: { raffle }, announcements: { mode: 'none' } },
      },
    ]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_GUILD_ID: guildId },
    ...{ DATABASE_URL: url, CACHE_URL: 'memory:', PORT: '0' },
  };
  const store = await openStore(url, systemClock, { thread: false });
  const { listings } = loadConfig(environment);
  const { of } = await prepareCommunities(store.communityIds, listings);
  const { communities } = createDirectory(listings, of);
  const [listing] = communities[0]?.listings ?? [];
  if (communities[0] === undefined || listing === undefined) throw new Error('no listing');
  const at = firstDay * day + 12 * hour;
  await createOpeningTask(communities[0], { store, clock: manualClock(at) })();
  await Promise.all(members.map((userId) => recordVote(store, listing, userId, at)));
  await store.close();

  const { paid, raffle: drawn, attempts } = reader(url);
  for (let killed = 0; killed <= kills; killed += 1) {
    const { process: child } = startProgram(['start'], environment, tempDir());
    const exited = once(child, 'exit');
    const before = attempts();
    if (killed < kills) {
      while (attempts() === before && drawn()?.['state'] !== 'drawn') await wait(1);
      // Each one a little later: while members are read, drawn, paid, and afterwards.
      await wait(killed * 15);
    } else while (drawn()?.['state'] !== 'drawn') await wait(2);
    child.kill('SIGKILL');
    await exited;
    // All of it or nothing.
    expect([0, raffle.winners]).toContain(paid().length);
    expect(drawn()?.['state'] === 'drawn').toBe(paid().length > 0);
  }
  const payments = paid();
  expect(payments.every(({ credits }) => credits === raffle.credits)).toBe(true);
  expect(new Set(payments.map((row) => row['account_id'])).size).toBe(raffle.winners);
  expect(recompute(String(drawn()?.['file'])).winners).toHaveLength(raffle.winners);
  expect(await isConsistent(url)).toBe(true);
});
