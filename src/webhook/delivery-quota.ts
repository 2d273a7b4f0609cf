import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';

/** What one listing may send in an hour. */
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

interface Slot {
  readonly index: number;
  deliveries: number;
  bytes: number;
}

/**
 * Limits what listings store: their owners are not the operator, and a delivery that is signed with a secret of their own
 * costs space on the operator's disk. Counts in memory, in each process for itself and from its start.
 */
export function createDeliveryQuota({ maxDeliveries, maxBytes }: QuotaLimits, clock: Clock) {
  const slotsOf = new Map<string, Slot[]>();
  let sweptAt = 0;

  /** The slots that are in the window, oldest first. */
  function slotsNow(listing: string, current: number): Slot[] {
    const slots = (slotsOf.get(listing) ?? []).filter(({ index }) => index > current - slotsInWindow);
    slotsOf.set(listing, slots);
    return slots;
  }

  /** Listings that have sent nothing for an hour, or no longer exist. */
  function deleteIdle(current: number): void {
    if (current - sweptAt < slotsInWindow) return;
    sweptAt = current;
    for (const listing of slotsOf.keys()) if (slotsNow(listing, current).length === 0) slotsOf.delete(listing);
  }

  return {
    /** Counts a delivery. Null if the listing may send it; otherwise uncounted, and the seconds until further ones. */
    take(listing: string, bytes: number): number | null {
      const now = clock.monotonic();
      const current = Math.floor(now / slotMs);
      deleteIdle(current);
      const slots = slotsNow(listing, current);
      const deliveries = slots.reduce((sum, slot) => sum + slot.deliveries, 0);
      const received = slots.reduce((sum, slot) => sum + slot.bytes, 0);
      const [oldest] = slots;
      if (oldest !== undefined && (deliveries >= maxDeliveries || received + bytes > maxBytes))
        return Math.ceil(((oldest.index + slotsInWindow) * slotMs - now) / second);
      const last = slots.at(-1);
      if (last?.index === current) {
        last.deliveries += 1;
        last.bytes += bytes;
      } else {
        slots.push({ index: current, deliveries: 1, bytes });
      }
      return null;
    },
  };
}
