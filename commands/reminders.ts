/** When the member is reminded of a listing (ms since the epoch); null if the member can vote for it now. */
export interface NextReminder {
  /** The configured name. */
  readonly listing: string;
  readonly dueAt: number | null;
}

export type SnoozeResult =
  /** `voted`: the member has voted meanwhile, and is reminded when the next vote is due. */
  | { readonly outcome: 'snoozed' | 'voted'; readonly dueAt: number }
  /** `off`: reminders are off. `unknown`: the listing is not configured any more. */
  | { readonly outcome: 'off' | 'unknown' };

/** Reminders of votes by direct message. Each method rejects with the errors of the store. */
export interface Reminders {
  /** Switches the reminders of a member on, for all listings. It asks the service when the next vote is due. */
  switchOn(userId: string): Promise<readonly NextReminder[]>;
  switchOff(userId: string): Promise<void>;
  /** Reminds of a listing again after a delay (ms). */
  snooze(userId: string, listing: string, delayMs: number): Promise<SnoozeResult>;
}
