import type { Counts, DeliveryRecord } from '../core/records/records.ts';
import type { BudgetStatus, ComponentStatus, OwnerContext } from './context.ts';

/** Status and totals of the installation. */
export interface Summary {
  readonly counts: Counts;
  readonly parts: Readonly<Record<string, ComponentStatus>>;
  readonly budgets: readonly BudgetStatus[];
  readonly lastDelivery: DeliveryRecord | null;
}

export async function getSummary(context: OwnerContext): Promise<Summary> {
  const { records, health } = context;
  const [counts, parts, budgets, [lastDelivery = null]] = await Promise.all([
    records.counts(),
    health(),
    context.budgets(),
    records.deliveries({ limit: 1, before: null }),
  ]);
  return { counts, parts, budgets, lastDelivery };
}
