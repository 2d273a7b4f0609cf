import { minVoteGapMs } from '../../core/ledger/reward-rules.ts';
import type { ImportItem, ImportTarget, ItemOutcome } from '../../features/imports/items.ts';
import { createNumberTable } from './number-table.ts';

/**
 * Completes what a dry run finds in the ledger by what the earlier rows would have stored there, so that it reports what
 * the import will do.
 */
export function createRehearsal({ listings }: Pick<ImportTarget, 'listings'>) {
  const amounts = createNumberTable();
  const times = createNumberTable();
  const gaps = new Map(listings.map(({ name, rewards }) => [name, minVoteGapMs(rewards.base)]));

  /** Counted votes of a listing are at least the gap apart, so a period of that length has at most one. */
  function isTooClose(userId: string, { listing, at }: NonNullable<ImportItem['vote']>): boolean {
    const gapMs = gaps.get(listing) ?? 0;
    if (gapMs === 0) return false;
    const period = Math.floor(at / gapMs);
    const isClose = [period - 1, period, period + 1].some((each) => {
      const other = times.get(`${userId} ${listing} ${each}`);
      return other !== undefined && Math.abs(other - at) < gapMs;
    });
    if (!isClose) times.set(`${userId} ${listing} ${period}`, at);
    return isClose;
  }

  /** @param outcome what the ledger says */
  return ({ userId, key, credits, vote }: ImportItem, outcome: ItemOutcome): ItemOutcome => {
    if (outcome.outcome !== 'credited') return outcome;
    const id = `${userId} ${key}`;
    const before = amounts.get(id);
    if (before !== undefined) {
      return before === credits ? { outcome: 'imported' } : { outcome: 'different', credits: before };
    }
    if (vote !== null && !vote.isTotal && isTooClose(userId, vote)) return { outcome: 'within_cooldown' };
    amounts.set(id, credits);
    return outcome;
  };
}
