import type { LeaseGroup } from './lease-store.ts';

/**
 * How many slots a process should hold: all get the same number, and those that already hold the most get what is left
 * over, so that a process that joins does not move slots without need.
 * @param live the ids of the live processes
 */
export function fairShare({ size, leases }: LeaseGroup, live: readonly string[], holder: string): number {
  const counts = new Map(live.map((id) => [id, 0]));
  for (const lease of leases) {
    if (lease.size === size) counts.set(lease.holder, (counts.get(lease.holder) ?? 0) + 1);
  }
  const order = live.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1));
  const position = order.indexOf(holder);
  return Math.floor(size / live.length) + Number(position < size % live.length);
}
