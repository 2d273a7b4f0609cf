import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { Budget, BudgetStore } from '../budget.ts';
import { LookupError } from '../lookup-error.ts';

/** More than are ever written: the log must not refuse one. */
const maxBlocks = 1_000;

/**
 * A budget whose blocks hold in every process that shares its log, also after a restart. The log has an entry
 * `blockMs` before the end of each, so that it leaves a window of that length when the block ends.
 */
export function withSharedBlocks(
  budget: Budget,
  options: { readonly log: BudgetStore; readonly keyId: string; readonly blockMs: number; readonly clock: Clock },
): Budget {
  const { log, blockMs, clock } = options;
  const keyId = `${options.keyId} blocks`;
  return {
    ...budget,
    async acquire() {
      const now = clock.now();
      // A log that cannot be read cannot count the request either.
      const blocks = await log.spent(keyId, now - blockMs).catch(() => 0);
      if (blocks > 0) {
        throw new LookupError('lookup_over_budget', 'The site rejects the key for a while, after too many requests.', {
          // When it ends is not known here.
          retryAt: now + minute,
        });
      }
      await budget.acquire();
    },
    blockUntil(until) {
      budget.blockUntil(until);
      void log.acquire(keyId, until - blockMs, blockMs, maxBlocks).catch(() => {});
    },
  };
}
