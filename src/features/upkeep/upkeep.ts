import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { Metrics } from '../../core/metrics.ts';
import type { Store } from '../store.ts';
import { countEveryMs, createPruning, keepVoteCountsMs, pruneEveryMs, type Retention } from './pruning.ts';

/** At most this many roles are repaired per minute, so that votes and commands have Discord's rate limit to themselves. */
const repairEveryMs = minute;
const deleteExpiredEveryMs = hour;
const repairedRoles = 10;
const repairRoundMs = day;
/** How many times longer than counting is the pause after it, as long as there is more to count. */
const pausePerCount = 4;

/** What is done regularly: repairs, counting and pruning. */
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
