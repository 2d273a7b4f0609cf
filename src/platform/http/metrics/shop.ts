import { Counter, type Registry } from 'prom-client';

export interface ShopMetrics {
  /** `result`: `sold`, `repeated`, `fulfilled` or `refunded` by a manager, or why nothing was sold. */
  readonly purchases: Counter<'result'>;
}

/** Purchases in the shop. */
export function shopMetrics(registry: Registry): ShopMetrics {
  return {
    purchases: new Counter({
      name: 'tallyhook_purchases_total',
      help: 'Confirmed purchases of the shop, by result; also those that a manager fulfilled or refunded.',
      labelNames: ['result'],
      registers: [registry],
    }),
  };
}
