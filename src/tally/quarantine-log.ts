import type { Delivery } from './tally.ts';

/** Why a delivery is quarantined of which nothing is wrong but that its time has not come yet. Also the text in the database. */
export const aheadOfTime = 'timestamp is more than 5 minutes ahead';

/** A delivery in the quarantine. */
export interface QuarantinedDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly outcome: 'quarantined';
}

/** What was kept whole because it was not understood. */
export interface Quarantine {
  /** At most `limit` that are kept for this reason, by ascending id, beginning after the id `after`. */
  keptFor(
    reason: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly QuarantinedDelivery[]>;
}
