import { hash } from 'node:crypto';
import { minVoteGapMs } from '../../core/rewards/reward.ts';
import type { ImportItem, ImportTarget, ItemOutcome } from '../../features/imports/items.ts';

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

/**
 * A table of numbers by text, in 16 to 32 bytes per entry: a million strings would need more than 100 MB. Two of a million
 * texts are the same to it with a probability of 1 : 10,000, so it is for reports only.
 */
function createNumberTable() {
  let capacity = 1 << 12;
  let keys = new Float64Array(capacity);
  let values = new Float64Array(capacity);
  let size = 0;

  /** The slot of the key, or the empty one where it belongs. Keys are not 0. */
  function slotOf(key: number): number {
    let slot = key % capacity;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) % capacity;
    return slot;
  }

  function grow(): void {
    const [oldKeys, oldValues] = [keys, values];
    capacity *= 2;
    keys = new Float64Array(capacity);
    values = new Float64Array(capacity);
    for (let index = 0; index < oldKeys.length; index += 1) {
      const key = oldKeys[index] ?? 0;
      if (key === 0) continue;
      const slot = slotOf(key);
      keys[slot] = key;
      values[slot] = oldValues[index] ?? 0;
    }
  }

  return {
    /** The number that was stored with the key; undefined if there is none. */
    get(text: string): number | undefined {
      const slot = slotOf(digestOf(text));
      return keys[slot] === 0 ? undefined : values[slot];
    },
    set(text: string, value: number): void {
      const key = digestOf(text);
      const slot = slotOf(key);
      if (keys[slot] === 0) size += 1;
      keys[slot] = key;
      values[slot] = value;
      if (size * 2 > capacity) grow();
    },
  };
}

/** 52 bits, not 0. */
function digestOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 13), 16) + 1;
}
