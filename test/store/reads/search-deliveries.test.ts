import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { minute } from '../../../src/platform/durations.ts';
import { openStore } from '../../../src/store/store.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

it('finds by their time also what came before the clock was set back by an hour', async () => {
  const store = await openStore(`sqlite:${join(tempDir(), 'tally.db')}`, manualClock());
  onTestFinished(() => store.close());
  const unclear = { type: 'quarantine', kind: 'a kind', reason: 'new', listing: 'server' } as const;
  const minutes = [
    ...Array.from({ length: 120 }, (_, past) => past),
    ...Array.from({ length: 120 }, (_, past) => past + 60),
  ];
  for (const past of minutes) {
    await store.recorder.record({ receivedAt: past * minute, family: 'vote', body: '{}' }, unclear);
  }
  for (const since of [65, 90, 115, 130]) {
    const wanted = minutes.filter((past) => past >= since).length;
    expect(await store.records.deliveries({ since: since * minute, limit: 500, before: null })).toHaveLength(wanted);
  }
});

it('looks further than one stride for what is rare', async () => {
  const store = await openStore(`sqlite:${join(tempDir(), 'tally.db')}`, manualClock());
  onTestFinished(() => store.close());
  const delivery = { receivedAt: 0, family: 'vote', body: '{}' } as const;
  const record = (kind: string) =>
    store.recorder.record(delivery, { type: 'quarantine', kind, reason: 'new', listing: 'server' });
  await record('rare');
  for (let half = 0; half < 2; half += 1) {
    await Promise.all(Array.from({ length: 5_005 }, () => record('usual')));
  }
  await record('rare');
  const found = await store.records.deliveries({ kind: 'rare', limit: 9, before: null });
  expect(found.map(({ id }) => id)).toEqual([10_012, 1]);
});
