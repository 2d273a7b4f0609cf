import type { MessageType } from '../../core/outbox/effect-kind.ts';

/** The member may vote. */
export interface ReminderNotice {
  /** The name of the configured listing. */
  readonly listing: string;
  /** Since when the member can vote, or wanted to be reminded again (ms since the epoch). */
  readonly dueAt: number;
}

export const reminderMessage: MessageType<'reminder', ReminderNotice> = {
  type: 'reminder',
  fields: { listing: ['string'], dueAt: ['number'] },
};
