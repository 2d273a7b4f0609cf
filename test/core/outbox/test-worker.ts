import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, onTestFinished } from 'vitest';
import type { ClaimedEffect, Perform } from '../../../src/core/outbox/effect-kind.ts';
import { Worker } from '../../../src/core/outbox/worker.ts';
import { openStore } from '../../../src/features/store.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteFile } from '../../support/new-sqlite.ts';
import { channelQueue } from '../../support/queues.ts';

export const start = Date.UTC(2026, 0, 1);

/**
 * Adds effects to a database, in turn to the queues of `channels` channels whose ids begin with 6. All are due at `dueAt` (ms since
 * the epoch).
 */
export function addBacklog(path: string, effects: number, { channels = 1, dueAt = start } = {}): void {
  const database = new DatabaseSync(path);
  const text = JSON.stringify({
    ...{ event: 'server_vote', test: false, listing: 'server', userId: '1', credits: 10, balance: 10, reason: null },
    ...{ at: start, nextVoteAt: null, tier: null, giftedBy: null },
  });
  database
    .prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :effects)
       INSERT INTO effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at)
       SELECT n, 'announcement', '1 ' || (600000000000000000 + n % CAST(:channels AS INTEGER)), :text, 'waiting', 0, :dueAt, :dueAt FROM numbers`,
    )
    .run({ effects, channels, text, dueAt });
  database.close();
}

/** The first channel of {@link addBacklog}. */
export const backlogChannel = '600000000000000000';

/** A worker with a real outbox. Its attempts return `attempts` in order, and then the last one repeatedly. */
export async function createTestWorker(...attempts: AttemptResult[]) {
  const clock = manualClock(start);
  const path = newSqliteFile();
  const store = await openStore(`sqlite:${path}`, clock, { thread: false });
  let onPerform = () => {};
  const performed: { at: number; ids: number[]; nonce: string | undefined }[] = [];
  const perform = async (effects: readonly ClaimedEffect[]): Promise<AttemptResult> => {
    onPerform();
    performed.push({ at: clock.now() - start, ids: effects.map(({ id }) => id), nonce: effects[0]?.nonce });
    return attempts.length > 1 ? (attempts.shift() as AttemptResult) : (attempts[0] as AttemptResult);
  };
  let replaced: Perform | undefined;
  const log = createLog({ level: 'silent', secrets: [] });
  let reachable: boolean | Promise<boolean> = true;
  let isOwn: (queue: string) => boolean = () => true;
  let probes = 0;
  const isReachable = async () => {
    probes += 1;
    return reachable;
  };
  const worker = new Worker({
    ...{ outbox: store.outbox, isReachable, isOwn: (queue) => isOwn(queue), clock, log },
    perform: (effects) => (replaced ?? perform)(effects),
  });
  onTestFinished(async () => {
    await worker.stop();
    await store.close();
  });
  const [listing] = serverAndBot();
  const enqueue = (channelId?: string, receivedAt = clock.now()) =>
    store.recorder.record(
      { receivedAt, family: 'vote', body: '{}' },
      {
        type: 'test',
        test: { kind: 'server_vote', userId: '1' },
        listing: { ...listing, ...(channelId && { announceChannelId: channelId }) },
      },
    );
  const nudge = (channelId = listing.announceChannelId ?? '') => worker.nudge([channelQueue(channelId)]);
  const counts = async () => (await store.records.counts()).effects;
  /** Waits until the worker is idle and sleeps. Does not advance the clock. */
  const settle = async () => {
    do await wait(5);
    while (clock.sleepers() === 0);
  };
  /** Waits for this number of attempts, however slow the disk is. */
  const attempted = (count: number) => eventually(() => expect(performed).toHaveLength(count));
  const whilePerforming = (run: () => void) => {
    onPerform = run;
  };
  const discord = {
    /** With a promise, a probe waits for it. */
    setReachable(value: boolean | Promise<boolean>) {
      reachable = value;
    },
    probes: () => probes,
  };
  return {
    ...{ path, clock, store, worker, performed, enqueue, nudge, counts, settle, attempted, whilePerforming, discord },
    performWith(other: Perform) {
      replaced = other;
    },
    /** Those of other queues are for other processes. */
    own(queues: (queue: string) => boolean) {
      isOwn = queues;
    },
  };
}
