import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { Metrics } from '../../core/metrics.ts';
import type { Store } from '../store.ts';
import type { Pruned, UpkeepStore } from './store.ts';

/** Rows per transaction, for which the votes of that moment wait. */
const rowsPerChunk = 100;
/** The part of the time that pruning may take. */
const maxBusyShare = 0.2;
const minPauseMs = 10;
/** A process that has stopped is replaced after this time (ms). */
const leaseMs = 2 * minute;

type PrunedKind = 'bodies' | 'effects';

/** How long data is kept (ms); null forever. */
interface Retention {
  readonly bodiesMs: number | null;
  readonly effectsMs: number | null;
}

/**
 * Returns a task that prunes until nothing is left that is old enough, unless another process does so.
 * @param onPruned called with the number of rows after each transaction
 */
export function createPruning(
  { bodiesMs, effectsMs }: Retention,
  options: {
    readonly store: UpkeepStore;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onPruned: (kind: PrunedKind, rows: number) => void;
  },
): () => Promise<void> {
  const { store, clock, signal, onPruned } = options;
  let heldUntil: number | null = null;

  async function hasLease(): Promise<boolean> {
    const now = clock.now();
    if (heldUntil !== null && heldUntil - now > leaseMs / 2 && heldUntil - now <= leaseMs) return true;
    const until = now + leaseMs;
    const isHeld = await store.leasePruning(now, heldUntil, until);
    heldUntil = isHeld ? until : null;
    return isHeld;
  }

  async function pruneAll(kind: PrunedKind, prune: (limit: number) => Promise<Pruned>): Promise<void> {
    while (!signal.aborted && (await hasLease())) {
      const startedAt = clock.monotonic();
      const { pruned, hasMore } = await prune(rowsPerChunk);
      if (pruned > 0) onPruned(kind, pruned);
      if (!hasMore) return;
      const tookMs = clock.monotonic() - startedAt;
      await clock.sleep(Math.max(minPauseMs, tookMs / maxBusyShare - tookMs), signal);
    }
  }

  return async () => {
    if (bodiesMs !== null) await pruneAll('bodies', (limit) => store.pruneBodies(clock.now() - bodiesMs, limit));
    if (effectsMs !== null) await pruneAll('effects', (limit) => store.pruneEffects(clock.now() - effectsMs, limit));
  };
}

/** How often pruning starts (ms), and counting. */
const pruneEveryMs = 10 * minute;
const countEveryMs = 10 * second;
/** Counts of votes are kept longer than any chart shows them (ms). */
const keepVoteCountsMs = 40 * day;

/** At most this many roles are repaired per minute, so that votes and commands have Discord's rate limit to themselves. */
const repairEveryMs = minute;
const deleteExpiredEveryMs = hour;
const repairedRoles = 10;
const repairRoundMs = day;
/** How many times longer than counting is the pause after it, as long as there is more to count. */
const pausePerCount = 4;

export function createUpkeep(options: {
  readonly store: Pick<Store, 'upkeep' | 'roles' | 'memberData' | 'counting'>;
  readonly keep: Retention;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'counter'>;
}): Loop {
  const { store, clock, log } = options;
  const { counting } = store;
  const abortController = new AbortController();
  const { signal } = abortController;
  const pruned = options.metrics.counter({
    name: 'tallyhook_pruned_rows_total',
    help: 'Rows that this process has pruned: bodies of deliveries, and effects that are done.',
    labels: ['what'],
    zero: [{ what: 'bodies' }, { what: 'effects' }],
  });
  const prune = createPruning(options.keep, {
    store: store.upkeep,
    clock,
    signal,
    onPruned: (what, rows) => pruned.inc({ what }, rows),
  });
  let lastRepaired = '';
  let nextRoundAt = 0;

  function repeat(task: string, pauseMs: number, round: () => Promise<boolean>): Loop {
    return createLoop({
      round,
      pauseMs,
      clock,
      onError: (error) => log.warn({ task, reason: messageOf(error) }, 'regular task failed; retrying'),
    });
  }

  /** Once a day for each member: a role that Discord rejects would otherwise fail again and again. */
  async function repair(): Promise<false> {
    if (lastRepaired === '') {
      if (clock.monotonic() < nextRoundAt) return false;
      nextRoundAt = clock.monotonic() + repairRoundMs;
    }
    lastRepaired = (await store.roles.repairAfter(lastRepaired, repairedRoles, clock.now())) ?? '';
    return false;
  }

  async function deleteExpired(): Promise<false> {
    await store.memberData.deleteExpired(clock.now());
    return false;
  }

  async function count(): Promise<boolean> {
    const startedAt = clock.monotonic();
    const hasMore = await counting.advance();
    // After an upgrade, or a longer downtime beside other processes.
    if (hasMore) await clock.sleep(pausePerCount * (clock.monotonic() - startedAt), signal);
    return hasMore;
  }

  async function removeOld(): Promise<boolean> {
    await prune();
    return counting.addUpVotesBefore(clock.now() - keepVoteCountsMs);
  }

  const loops = [
    repeat('repair of roles', repairEveryMs, repair),
    repeat('votes of forgotten members', deleteExpiredEveryMs, deleteExpired),
    repeat('counters', countEveryMs, count),
    repeat('pruning', pruneEveryMs, removeOld),
  ];

  return {
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      abortController.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

const beatEveryMs = minute;
/** The clocks of several machines may differ by this much (ms). */
const clockToleranceMs = 5 * minute;
/** Deliveries whose times one transaction corrects: a few ms. */
const correctedAtOnce = 20;

/**
 * Notes regularly that deliveries can be received, in each process that receives them: days on which none could are forgiven.
 * If the last time is in the future, the clock was ahead, also before a restart: what has its time from it is corrected.
 */
export function createHeartbeat(options: {
  readonly store: Pick<Store, 'upkeep'>;
  readonly clock: Clock;
  readonly log: Log;
}): Loop {
  const { store, clock, log } = options;
  const { upkeep } = store;

  async function beat(): Promise<void> {
    const now = clock.now();
    const last = await upkeep.lastBeat();
    if (last !== null && last > now + clockToleranceMs) await correctTimes(now);
    await upkeep.beat(now);
  }

  async function correctTimes(now: number): Promise<void> {
    const ids = await upkeep.receivedAfter(now);
    for (let done = 0; done < ids.length; done += correctedAtOnce)
      await upkeep.correctTimes(ids.slice(done, done + correctedAtOnce), now);
    await upkeep.wakePlanned(now);
    if (ids.length > 0)
      log.warn(
        { deliveries: ids.length },
        'the clock was ahead: the times of receipt that it gave were corrected to now',
      );
  }

  return createLoop({
    round: beat,
    pauseMs: beatEveryMs,
    clock,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'the heartbeat failed; retrying'),
  });
}
