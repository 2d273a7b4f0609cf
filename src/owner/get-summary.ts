import type { BudgetState, OwnerContext, PartState } from './context.ts';
import type { Counts, DeliveryRecord } from './records.ts';

/** How the whole is. */
export interface Summary {
  readonly counts: Counts;
  readonly parts: Readonly<Record<string, PartState>>;
  readonly budgets: readonly BudgetState[];
  readonly lastDelivery: DeliveryRecord | null;
}

export async function getSummary({ records, health, budgets }: OwnerContext): Promise<Summary> {
  const [counts, parts, left, [lastDelivery = null]] = await Promise.all([
    records.counts(),
    health(),
    budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return { counts, parts, budgets: left, lastDelivery };
}
