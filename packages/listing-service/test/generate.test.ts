import { hour } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serviceCommand } from '../src/cli/service-command.ts';
import { generate as generateRows } from '../src/generate/generate.ts';
import { sharesByPopularity } from '../src/generate/rows.ts';
import { openDatabase } from '../src/storage/database.ts';
import { running } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';

const start = Date.UTC(2026, 0, 1);
const listingsSchema = z.array(z.object({ kind: z.enum(['server', 'bot']), id: z.string(), key: z.string() }));

async function generate(database: string, counts: Record<string, number>) {
  const { terminal, output } = captive();
  const options = Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]);
  const code = await serviceCommand(['generate', '--database', database, ...options], terminal);
  const lines = output().split('\n');
  const listings = listingsSchema.parse(lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)));
  return { code, listings, output: output() };
}

test('it stores exactly what was asked for, with a valid key per listing and votes twelve hours apart', async () => {
  const database = `sqlite:${tempDir()}/service.db`;
  const counts = { listings: 10, members: 200, votes: 3_333, reviews: 500 };
  const { code, listings, output } = await generate(database, counts);
  expect({ code, listings: listings.length }).toEqual({ code: 0, listings: 10 });
  expect(output).toMatch(/4,053 rows in/);

  const stored = await openDatabase(database);
  const votes = await stored
    .selectFrom('votes')
    .selectAll()
    .orderBy('listing_id')
    .orderBy('user_id')
    .orderBy('voted_at')
    .execute();
  const reviews = await stored.selectFrom('reviews').selectAll().execute();
  const members = await stored.selectFrom('members').selectAll().execute();
  await stored.destroy();
  expect([votes.length, reviews.length, members.length]).toEqual([3_333, 500, 200]);
  const gaps = votes.flatMap((vote, index) => {
    const before = votes[index - 1];
    return before?.listing_id === vote.listing_id && before.user_id === vote.user_id
      ? [vote.voted_at - before.voted_at]
      : [];
  });
  expect(gaps.length).toBeGreaterThan(1_000);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(12 * hour - 1);

  const { get } = await running({ database, seed: false });
  for (const { kind, id, key } of listings) {
    expect((await get(`/${kind}`, { 'X-API-Key': key })).json).toMatchObject({ data: { id } });
  }
  const [popular] = listings;
  const profile = await get('/server', { 'X-API-Key': popular?.key ?? '' });
  const ownVotes = votes.filter((vote) => vote.listing_id === popular?.id).length;
  expect(ownVotes).toBeGreaterThan(333);
  expect(profile.json['data']).toMatchObject({ votes: ownVotes });
});

test('a second run adds listings for the same members', async () => {
  const database = `sqlite:${tempDir()}/service.db`;
  const counts = { listings: 2, members: 50, votes: 100, reviews: 10 };
  const first = await generate(database, counts);
  const second = await generate(database, counts);
  expect(new Set([...first.listings, ...second.listings].map(({ id }) => id)).size).toBe(4);
  const stored = await openDatabase(database);
  expect(await stored.selectFrom('members').select('user_id').execute()).toHaveLength(50);
  expect(await stored.selectFrom('votes').select('id').execute()).toHaveLength(200);
  await stored.destroy();
});

test('a run that was stopped is continued by the same command, and stores what one run stores', async () => {
  const counts = { listings: 3, members: 10, votes: 60_000, reviews: 10 };
  const stoppedAfter = async (rows: number) => {
    const address = `sqlite:${tempDir()}/service.db`;
    const database = await openDatabase(address);
    const stop = new AbortController();
    const listings: unknown[] = [];
    await generateRows(database, {
      population: counts,
      now: start,
      signal: stop.signal,
      onListing: (listing) => listings.push(listing),
      onProgress: (stored) => stored >= rows && stop.abort(),
    });
    const continued = stop.signal.aborted ? await generate(address, counts) : { listings: [], output: '' };
    const sums = await database
      .selectFrom('votes')
      .select(({ fn }) => ['listing_id', fn.countAll().as('votes'), fn.avg('voted_at').as('time')])
      .groupBy('listing_id')
      .execute();
    const reviews = await database.selectFrom('reviews').selectAll().execute();
    await database.destroy();
    return { listings: listings.length + continued.listings.length, sums, reviews, output: continued.output };
  };
  const { output: _, ...inOne } = await stoppedAfter(Number.POSITIVE_INFINITY);
  const { output, ...inTwo } = await stoppedAfter(50_000);
  expect(output).toContain('Continuing the run that was stopped after 50,016 rows.');
  expect(inOne.listings).toBe(3);
  expect(inTwo).toEqual(inOne);
});

test.each([
  [{ votes: 1.5 }, '--votes must be an integer'],
  [{ listings: 5, members: 10, reviews: 41 }, 'too few listings or members'],
  [{ members: 0, reviews: 0 }, 'too few listings or members'],
])('%j is invalid', async (counts, message) => {
  const { code, output } = await generate(`sqlite:${tempDir()}/service.db`, counts);
  expect(code).toBe(2);
  expect(output).toContain(message);
});

test('shares add up to the total, and none is above the maximum', () => {
  expect(sharesByPopularity(1_000, 7).reduce((sum, share) => sum + share, 0)).toBe(1_000);
  expect(sharesByPopularity(69, 7, 10)).toEqual([10, 10, 10, 10, 10, 10, 9]);
  const shares = sharesByPopularity(10_000, 100);
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
});
