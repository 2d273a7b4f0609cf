import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';

/** Limits of one listing in an hour. */
export interface QuotaLimits {
  readonly maxDeliveries: number;
  /** All bodies together. */
  readonly maxBytes: number;
}

/** Deliveries are counted in slots of this duration (ms), which leave the last hour one by one. */
const slotMs = 5 * minute;
/** The current slot, which is not over, and those of a whole hour before it. */
const slotsInWindow = hour / slotMs + 1;

export type DeliveryQuota = ReturnType<typeof createDeliveryQuota>;

/**
 * Limits what listings store: their owners are not the operator, and a delivery that is signed with a secret of their own
 * costs space on the operator's disk. Counts in memory, in each process for itself and from its start.
 */
export function createDeliveryQuota({ maxDeliveries, maxBytes }: QuotaLimits, clock: Clock) {
  /** Sent deliveries and bytes by slot, oldest first, and listing. */
  const slots = new Map<number, Map<string, { deliveries: number; bytes: number }>>();
  return {
    /** Counts a delivery. Null if the listing may send it; otherwise uncounted, and the seconds until further ones. */
    take(listing: string, bytes: number): number | null {
      const now = clock.monotonic();
      const current = Math.floor(now / slotMs);
      for (const index of slots.keys()) if (index <= current - slotsInWindow) slots.delete(index);
      const sent = [...slots].flatMap(([index, byListing]) => {
        const usage = byListing.get(listing);
        return usage === undefined ? [] : [{ index, ...usage }];
      });
      const deliveries = sent.reduce((sum, slot) => sum + slot.deliveries, 0);
      const received = sent.reduce((sum, slot) => sum + slot.bytes, 0);
      const [oldest] = sent;
      if (oldest !== undefined && (deliveries >= maxDeliveries || received + bytes > maxBytes))
        return Math.ceil(((oldest.index + slotsInWindow) * slotMs - now) / second);
      const slot = slots.get(current) ?? new Map<string, { deliveries: number; bytes: number }>();
      slots.set(current, slot);
      const usage = slot.get(listing) ?? { deliveries: 0, bytes: 0 };
      slot.set(listing, { deliveries: usage.deliveries + 1, bytes: usage.bytes + bytes });
      return null;
    },
  };
}
