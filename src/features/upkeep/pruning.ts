import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import type { Pruned, UpkeepStore } from './store.ts';

/** Rows per transaction, for which the votes of that moment wait. */
const rowsPerChunk = 100;
/** The part of the time that pruning may take. */
const maxBusyShare = 0.2;
const minPauseMs = 10;
/** A process that has stopped is replaced after this time (ms). */
const leaseMs = 2 * minute;

/** What is pruned: the bodies of deliveries, and effects that are done. */
export type PrunedKind = 'bodies' | 'effects';

/** How long data is kept (ms); null forever. */
export interface Retention {
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
export const pruneEveryMs = 10 * minute;
export const countEveryMs = 10 * second;
/** Counts of votes are kept longer than any chart shows them (ms). */
export const keepVoteCountsMs = 40 * day;
