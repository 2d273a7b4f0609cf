import type { MessageType } from '../../core/outbox/effect-kind.ts';

export interface RateAlarm {
  /** The name of the listing, and that of its site. */
  readonly listing: string;
  readonly site: string;
  /** Votes that were paid in the hour, and those of a usual one. */
  readonly votes: number;
  readonly usual: number;
}

/** The votes of a listing are held. */
export const rateAlarmReport: MessageType<'rateAlarm', RateAlarm> = {
  type: 'rateAlarm',
  fields: { listing: ['string'], site: ['string'], votes: ['number'], usual: ['number'] },
};
