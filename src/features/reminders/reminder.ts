import type { CommunityId, LastVotes } from '../../core/ledger/account.ts';

/** A member who is to be reminded of voting for a listing. */
export interface Reminder {
  readonly userId: string;
  /** The name of the configured listing. */
  readonly listing: string;
  /** When the vote becomes due, or when the member wants to be reminded again (ms since the epoch). */
  readonly dueAt: number;
}

/** Why the program has switched off the reminders of a member: Discord accepts no direct messages to the member. */
export type StopReason = 'direct_messages_closed';

export interface RemindedListing {
  readonly name: string;
  /** How long a vote blocks the next one (ms). */
  readonly cooldownMs: number;
  /** The names of all listings with its target, a vote for one of which is a vote for all; by default only its own. */
  readonly names?: readonly string[];
}

/** What the service knows of a listing: the end of the member's cooldown (ms since the epoch), null without one. */
export interface ListingCooldown extends RemindedListing {
  readonly nextVoteAt: number | null;
}

/** The rules of the listing of a reminder. */
export interface ReminderAccounts extends Pick<RemindedListing, 'cooldownMs' | 'names'> {
  /** Which accounts the members of its community have. */
  readonly communityId: CommunityId;
}

/** What is stored of a member's reminders in a community. */
export interface ReminderState {
  readonly isOn: boolean;
  /** Why the program has switched them off; null if it has not. */
  readonly stopped: { readonly reason: StopReason; readonly at: number } | null;
  readonly lastVotes: LastVotes;
}

/** When the next reminder is due (ms since the epoch); null for a listing that the member can vote for now. */
export interface NextReminder {
  readonly listing: string;
  readonly dueAt: number | null;
}

export type SnoozeResult =
  /** `voted`: the member has voted meanwhile, and is reminded when the next vote is due. */
  { readonly outcome: 'snoozed' | 'voted'; readonly dueAt: number } | { readonly outcome: 'off' };

/** Reminders of votes by direct message. Each method rejects with the errors of the store. */
export interface Reminders {
  /** Switches the reminders of a member on, for all listings. It asks the service when the next vote is due. */
  switchOn(userId: string): Promise<readonly NextReminder[]>;
  switchOff(userId: string): Promise<void>;
  isOn(userId: string): Promise<boolean>;
  /** Reminds of a listing again after a delay (ms). `unknown`: the listing is not configured any more. */
  snooze(userId: string, listing: string, delayMs: number): Promise<SnoozeResult | { readonly outcome: 'unknown' }>;
}

/** Which reminders to claim. Times are ms since the epoch. */
export interface ReminderClaim {
  readonly now: number;
  /** After this time, others can claim them again. */
  readonly leaseUntil: number;
  /** A due time or lease that ends after this was written while a clock was ahead, and does not count. */
  readonly maxDueAt: number;
  readonly maxLeaseUntil: number;
  readonly limit: number;
}
