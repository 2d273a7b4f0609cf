import type { Fields } from '@tallyhook/platform/json';

declare module '../../core/outbox/effect-contents.ts' {
  interface OwnerReports {
    /** The votes of a listing are held. */
    readonly rateAlarm: RateAlarm;
  }
}

export interface RateAlarm {
  /** The name of the listing, and that of its site. */
  readonly listing: string;
  readonly site: string;
  /** Votes that were paid in the hour, and those of a usual one. */
  readonly votes: number;
  readonly usual: number;
}

const fields: Fields<RateAlarm> = { listing: ['string'], site: ['string'], votes: ['number'], usual: ['number'] };

export const ownerReports = { rateAlarm: fields };
