import { minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../../src/features/store.ts';
import { newSqliteUrl } from '../../../support/new-sqlite.ts';

it('finds by time deliveries from before the clock was set back by an hour', async () => {
  const store = await openStore(newSqliteUrl(), manualClock());
  onTestFinished(() => store.close());
  const unclear = { type: 'quarantine', kind: 'a kind', reason: 'new', listing: 'server', origin: [] } as const;
  const minutes = [...Array.from({ length: 120 }, (_, at) => at), ...Array.from({ length: 120 }, (_, at) => at + 60)];
  for (const at of minutes) {
    await store.recorder.record({ receivedAt: at * minute, family: 'vote', body: '{}' }, unclear);
  }
  for (const since of [65, 90, 115, 130]) {
    const expected = minutes.filter((at) => at >= since).length;
    expect(await store.records.deliveries({ since: since * minute, limit: 500, before: null })).toHaveLength(expected);
  }
});

it('continues after one query without enough matches', async () => {
  const store = await openStore(newSqliteUrl(), manualClock());
  onTestFinished(() => store.close());
  const delivery = { receivedAt: 0, family: 'vote', body: '{}' } as const;
  const record = (kind: string) =>
    store.recorder.record(delivery, { type: 'quarantine', kind, reason: 'new', listing: 'server', origin: [] });
  await record('rare');
  for (let half = 0; half < 2; half += 1) {
    await Promise.all(Array.from({ length: 5_005 }, () => record('usual')));
  }
  await record('rare');
  const matches = await store.records.deliveries({ kind: 'rare', limit: 9, before: null });
  expect(matches.map(({ id }) => id)).toEqual([10_012, 1]);
});
