import { day } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import { castVote } from '../src/actions/cast-vote.ts';
import { createServiceAdmin } from '../src/admin.ts';
import { createServiceCounters } from '../src/monitoring/service-counters.ts';
import { openDatabase } from '../src/storage/database.ts';
import { countVotes, countVotesOfMonth } from '../src/storage/votes.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { leapingClock } from '../testing/leaping-clock.ts';

describeOnBothDatabases('the counts of votes', (newDatabase) => {
  it('follow votes that are cast and deleted, each in its month', async () => {
    const database = await openDatabase(newDatabase());
    onTestFinished(() => database.destroy());
    const clock = leapingClock();
    const targets = { allowLoopback: true, resolve: async () => [] };
    const counters = createServiceCounters();
    const admin = createServiceAdmin({ database, clock, targets, retry: () => null, counters }, () => {});
    const { listing } = await admin.createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
    const january = Date.UTC(2026, 0, 15);
    const march = january + 60 * day;
    for (const [userId, at] of [
      ['1', january],
      ['2', january],
      ['3', january],
      ['1', march],
      ['2', march],
    ] as const)
      await castVote(database, listing, { voter: { userId, username: `member ${userId}` } }, at);
    const counts = async () => [
      (await countVotes(database, '1', march)).total,
      await countVotesOfMonth(database, '1', january),
      await countVotesOfMonth(database, '1', march),
    ];
    expect(await counts()).toEqual([5, 3, 2]);
    await database.deleteFrom('votes').where('user_id', '=', '2').execute();
    expect(await counts()).toEqual([3, 2, 1]);
    await database.deleteFrom('votes').where('voted_at', '=', january).execute();
    expect(await counts()).toEqual([1, 0, 1]);
  });
});
