import type { Fields } from '@tallyhook/platform/json';

declare module '../../core/outbox/effect-contents.ts' {
  interface DirectMessages {
    readonly reminder: ReminderNotice;
  }
}

/** The member may vote. */
export interface ReminderNotice {
  /** The name of the configured listing. */
  readonly listing: string;
  /** Since when the member can vote, or wanted to be reminded again (ms since the epoch). */
  readonly dueAt: number;
}

const reminder: Fields<ReminderNotice> = { listing: ['string'], dueAt: ['number'] };

export const directMessages = { reminder };
