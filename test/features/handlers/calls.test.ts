import { setTimeout as wait } from 'node:timers/promises';
import { hour, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { type ManualClock, manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { createEffectNotices } from '../../../src/core/outbox/effect-notices.ts';
import type { PurchaseEvent, VoteEvent } from '../../../src/core/outbox/handler-events.ts';
import { parseQueue } from '../../../src/core/outbox/queue.ts';
import { createWorker } from '../../../src/core/outbox/worker.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { knownId } from '../../../src/features/communities/listings.ts';
import { createLedger } from '../../../src/features/corrections/program-ledger.ts';
import { type HandlerCall, type Handlers, PermanentError } from '../../../src/features/handlers/handlers.ts';
import { createHandling } from '../../../src/features/handlers/handling.ts';
import { openStore } from '../../../src/features/store.ts';
import { communityIdsOf, firstCommunity } from '../../support/communities.ts';
import { serverAndBot } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { handlerQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';

const start = Date.UTC(2026, 0, 1);
const [slowGuild, otherGuild] = ['613425648685547541', '613425648685547542'];
const communityOf = (guildId: string | null) =>
  knownId(communityIdsOf([{ guildId: slowGuild }, { guildId: otherGuild }]), guildId);

/** Handlers over a store, of two communities. Time advances with the test. */
async function open(handlers: Handlers, { isStarted = true } = {}) {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  const notices = createEffectNotices(null);
  // Its guild is not known.
  const { listings } = loadConfig(environmentWith([{ ...harbour, kind: 'bot' }]));
  const directory = createDirectory(listings, communityIdsOf(listings));
  const { log, logged } = collectingLog();
  const calls = createHandling({
    ...{ handlers, store, clock, isShared: false, isStreamed: false, notices, log },
    ledgerIn: (guildId) => createLedger({ store, directory, clock }, guildId),
  });
  const worker = createWorker({
    ...{ outbox: store.outbox, handlers: [calls.handler], owns: { handlers: calls.isOwn } },
    attemptsPerQueue: { handlers: calls.attemptsPerQueue },
    communityOf: (queue) => String(parseQueue(queue).communityId),
    ...{ notices, metrics: createMetrics(), tracing: null, clock, log, onAttempted() {} },
  });
  const handling = { ...calls, start: () => worker.start(), stop: () => worker.stop().then(calls.abortCalls) };
  onTestFinished(async () => {
    await Promise.race([handling.stop(), advanceUntil(clock, () => false)]);
    await store.close();
  });
  if (isStarted) handling.start();
  const recorder = { ...store.recorder, ...handling.recording.recorder(store.recorder) };
  const vote = (userId: string, guildId: string | null = null, at = clock.now()) => {
    const community = { id: communityOf(guildId), guildId, timeZone: 'UTC', listings: ['server'] };
    const [listing] = serverAndBot({ community, announceChannelId: null });
    return recordVote({ ...store, recorder }, listing, userId, at);
  };
  const counts = async () => (await store.records.counts()).effects;
  return { clock, store, handling, notices, vote, counts, logged };
}

/** Advances time in steps, with pauses in which the database responds. */
async function advanceUntil(clock: ManualClock, isDone: () => boolean, stepMs = second / 4): Promise<void> {
  for (let steps = 0; steps < 400 && !isDone(); steps += 1) {
    await clock.advance(stepMs);
    await wait(2);
  }
}

it('may be methods of an object, which they find in `this`', async () => {
  class Thanks implements Handlers {
    readonly thanked: string[] = [];
    onVote({ userId }: VoteEvent) {
      this.thanked.push(userId);
    }
  }
  const thanks = new Thanks();
  const { clock, vote } = await open(thanks);
  await vote('1');
  await advanceUntil(clock, () => thanks.thanked.length > 0);
  expect(thanks.thanked).toEqual(['1']);
});

it('are repeated with the same id and a growing delay until they succeed', async () => {
  const calls: { at: number; id: string; attempt: number }[] = [];
  const { clock, vote, counts, logged } = await open({
    onVote(_, { id, attempt }) {
      calls.push({ at: clock.now() - start, id, attempt });
      if (attempt < 4) throw new Error('the database of the game is down');
    },
  });
  await vote('1');
  await advanceUntil(clock, () => calls.length === 4);
  await eventually(async () => expect(await counts()).toMatchObject({ done: 1, waiting: 0, buried: 0 }));
  expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
  const delays = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
  expect(JSON.stringify(logged)).toContain('the database of the game is down');
});

it('are buried with the reason by a PermanentError, and called again after a requeue', async () => {
  let isBanned = true;
  const ids: string[] = [];
  const { clock, store, vote, counts, notices } = await open({
    async onVote(_, { id }) {
      ids.push(id);
      if (isBanned) throw new PermanentError('The member is banned in the game.');
    },
  });
  await vote('1');
  await eventually(async () => expect(await counts()).toMatchObject({ buried: 1, waiting: 0 }));
  expect(await store.records.effect(1)).toMatchObject({ kind: 'handler', reason: 'The member is banned in the game.' });
  await advanceUntil(clock, () => false, second);
  expect(ids.length).toBe(1);
  isBanned = false;
  expect(await store.outbox.requeue(1, clock.now())).toBe('revived');
  notices.nudge([handlerQueue('vote')]);
  await eventually(async () => expect(await counts()).toMatchObject({ done: 1, buried: 0 }));
  expect(new Set(ids).size).toBe(1);
});

it('are aborted after ten seconds, and repeated', async () => {
  const signals: AbortSignal[] = [];
  const { clock, vote, store, counts } = await open({
    onVote: (_, { signal, attempt }) => {
      signals.push(signal);
      return attempt === 1 ? new Promise(() => {}) : undefined;
    },
  });
  await vote('1');
  await eventually(() => expect(signals.length).toBe(1));
  await clock.advance(9 * second);
  expect(signals[0]?.aborted).toBe(false);
  await advanceUntil(clock, () => signals[0]?.aborted === true);
  await eventually(async () =>
    expect(await store.records.effect(1)).toMatchObject({ reason: expect.stringMatching(/10 s/) }),
  );
  await advanceUntil(clock, () => signals.length === 2);
  await eventually(async () => expect(await counts()).toMatchObject({ done: 1, waiting: 0 }));
});

it('that are slow delay neither other kinds nor other communities', async () => {
  const called: string[] = [];
  const handle = (event: Pick<VoteEvent, 'type' | 'guildId'> | { type: string; guildId: string | null }) => {
    called.push(`${event.type} ${event.guildId}`);
    return event.type === 'vote' && event.guildId === slowGuild ? new Promise<void>(() => {}) : Promise.resolve();
  };
  const { vote, store, notices } = await open({ onVote: handle, onPurchase: handle });
  for (const userId of ['1', '2', '3']) await vote(userId, slowGuild);
  await eventually(() => expect(called.length).toBe(1));
  await vote('4', otherGuild);
  const purchase: PurchaseEvent = {
    ...{ type: 'purchase', listing: null, guildId: slowGuild, deliveryId: null, at: start, purchaseId: 1, userId: '1' },
    ...{ item: 'vip', name: 'VIP', price: 5, credits: -5, balance: 0, role: null, recipientId: null },
  };
  const queue = handlerQueue('purchase', communityOf(slowGuild));
  const call = {
    ...{ kind: 'handler', queue, content: { id: 'a', event: purchase }, deliveryId: null, createdAt: start },
  } as const;
  await store.outbox.enqueue([call]);
  notices.nudge([queue]);
  await eventually(() => expect(called).toEqual([`vote ${slowGuild}`, `vote ${otherGuild}`, `purchase ${slowGuild}`]));
});

it('are left alone by a process without the function', async () => {
  const { clock, store, vote, counts } = await open({ onReview() {} });
  const [listing] = serverAndBot({ announceChannelId: null });
  await recordVote(store, { ...listing, handled: ['vote'] }, '1', clock.now());
  await vote('2');
  await advanceUntil(clock, () => false);
  expect(await counts()).toMatchObject({ waiting: 1, buried: 0, done: 0 });
  expect(await store.records.effect(1)).toMatchObject({ kind: 'handler', attempts: 0 });
});

it('may finish when the program stops; those that do not are aborted, and stay', async () => {
  const calls: HandlerCall[] = [];
  const { clock, vote, handling, store, counts } = await open({
    async onVote({ userId }, call) {
      calls.push(call);
      await clock.sleep(userId === '1' ? second : hour);
    },
  });
  await vote('1', slowGuild);
  await vote('2', otherGuild);
  await eventually(() => expect(calls.length).toBe(2));
  const stopped = handling.stop();
  await advanceUntil(clock, () => calls.some(({ signal }) => signal.aborted));
  await Promise.race([stopped, advanceUntil(clock, () => false)]);
  const states = [await store.records.effect(1), await store.records.effect(2)];
  expect(states).toMatchObject([{ state: 'done' }, { state: 'waiting', reason: 'stopped during the attempt' }]);
  expect(await counts()).toMatchObject({ buried: 0 });
});

it('can write the ledger of their community, once however often they are repeated', async () => {
  const { clock, vote, store } = await open({
    async onVote({ userId }, { id, attempt, ledger }) {
      await ledger.award({ userId, credits: 7, reason: 'lucky', key: id });
      if (attempt === 1) throw new Error('after the award');
    },
  });
  await vote('1');
  await advanceUntil(clock, () => false, second / 10);
  expect((await store.ledgerIn(firstCommunity).account('1')).credits).toBe(17);
});

it('overlap as often as `concurrency` says, and each is made once', async () => {
  const called: string[] = [];
  const running: (() => void)[] = [];
  const onVote = ({ userId }: VoteEvent) => {
    called.push(userId);
    return new Promise<void>((resolve) => running.push(resolve));
  };
  const { vote, counts, handling } = await open({ onVote, concurrency: 4 }, { isStarted: false });
  const voters = ['1', '2', '3', '4', '5', '6', '7'];
  for (const userId of voters) await vote(userId);
  handling.start();
  for (let done = 0; done < voters.length; done += 1) {
    await eventually(async () => {
      expect(await counts()).toMatchObject({ done });
      expect(running.length).toBe(Math.min(4, voters.length - done));
    });
    running.shift()?.();
  }
  await eventually(async () => expect(await counts()).toMatchObject({ done: voters.length, waiting: 0 }));
  expect(called.toSorted()).toEqual(voters);
});
