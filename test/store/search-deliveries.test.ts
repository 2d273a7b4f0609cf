import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

it('looks further than one stride for what is rare', async () => {
  const store = await openStore(`sqlite:${join(tempDir(), 'tally.db')}`, manualClock());
  onTestFinished(() => store.close());
  const row = { receivedAt: 0, family: 'vote', credits: 0, eventKey: null, body: '{}', outcome: 'recorded' } as const;
  await store.transact(async (tally) => {
    for (let id = 1; id <= 10_010; id += 1) {
      const kind = id === 1 || id === 10_010 ? 'rare' : 'usual';
      await tally.log({ ...row, kind, listing: 'server', reason: null, userId: null });
    }
  });
  const found = await store.records.deliveries({ kind: 'rare', limit: 9, before: null });
  expect(found.map(({ id }) => id)).toEqual([10_010, 1]);
});
