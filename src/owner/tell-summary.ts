import type { Counts, DeliveryRecord } from './records.ts';
import type { BudgetState, OwnerServices, PartState } from './services.ts';

/** How the whole is. */
export interface Summary {
  readonly counts: Counts;
  readonly parts: Readonly<Record<string, PartState>>;
  readonly budgets: readonly BudgetState[];
  readonly lastDelivery: DeliveryRecord | null;
}

export async function tellSummary({ records, health, budgets }: OwnerServices): Promise<Summary> {
  const [counts, parts, left, [lastDelivery = null]] = await Promise.all([
    records.counts(),
    health(),
    budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return { counts, parts, budgets: left, lastDelivery };
}
