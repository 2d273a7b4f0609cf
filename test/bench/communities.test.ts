import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { communityIdOf, fillCommunities, memberIdOf } from '../../bench/scale/communities-fill.ts';
import { communityOperations } from '../../bench/scale/communities-operations.ts';
import { openStore } from '../../src/features/store.ts';
import { day } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const sizes = { communities: 3, members: 20 };

it('the benchmark of communities fills each with its own members, who can vote and are ranked', async () => {
  const path = join(tempDir(), 'tally.db');
  const clock = manualClock();
  await (await openStore(`sqlite:${path}`, clock)).close();
  fillCommunities(path, sizes, clock.now(), () => {});
  const store = await openStore(`sqlite:${path}`, clock);
  onTestFinished(() => store.close());

  const member = memberIdOf(sizes, 2, 5);
  expect(await store.communitiesOf(member)).toEqual([communityIdOf(2)]);
  for (let community = 0; community < sizes.communities; community += 1) {
    const query = { period: 'all', by: 'votes', limit: 10, offset: 0, userId: member } as const;
    const page = await store.standingsIn(communityIdOf(community), 'UTC').leaderboard(query, clock.now());
    expect(page.total).toBe(sizes.members);
    expect(page.own?.userId).toBe(community === 2 ? member : undefined);
  }

  for (const { prepare, run } of communityOperations(store, sizes, clock.now() + day)) {
    await prepare?.();
    await run();
  }
  // One of each operation with a vote.
  expect((await store.records.counts()).deliveries.recorded).toBe(4);
});
