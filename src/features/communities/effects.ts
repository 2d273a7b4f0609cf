import type { Fields } from '@tallyhook/platform/json';

declare module '../../core/outbox/effect-contents.ts' {
  interface DirectMessages {
    readonly departure: DepartureNotice;
  }
}

/** A community has removed the bot, and its settings and data will be deleted. Times are ms since the epoch. */
export interface DepartureNotice {
  readonly guildId: string;
  /** The name of one of its configured listings; null without one. */
  readonly listing: string | null;
  /** Identifies the departure. */
  readonly parkedAt: number;
  readonly deletedAt: number;
  /** How many notices preceded this one, the first of which was sent when the community was parked. */
  readonly notices: number;
}

const departure: Fields<DepartureNotice> = {
  guildId: ['string'],
  listing: ['string', null],
  parkedAt: ['number'],
  deletedAt: ['number'],
  notices: ['number'],
};

export const directMessages = { departure };
