import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

it('looks further than one stride for what is rare', async () => {
  const store = await openStore(`sqlite:${join(tempDir(), 'tally.db')}`, manualClock());
  onTestFinished(() => store.close());
  const delivery = { receivedAt: 0, family: 'vote', body: '{}' } as const;
  const record = (kind: string) =>
    store.recorder.record(delivery, { is: 'unclear', kind, reason: 'new', listing: 'server' });
  await record('rare');
  for (let half = 0; half < 2; half += 1) {
    await Promise.all(Array.from({ length: 5_005 }, () => record('usual')));
  }
  await record('rare');
  const found = await store.records.deliveries({ kind: 'rare', limit: 9, before: null });
  expect(found.map(({ id }) => id)).toEqual([10_012, 1]);
});
