import type { LastVotes } from '../ledger/account.ts';
import type { AccountId, AccountScope } from '../ledger/account-id.ts';

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

/** A listing as reminders need it. */
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
  readonly accounts: AccountScope;
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
  | { readonly outcome: 'snoozed' | 'voted'; readonly dueAt: number }
  /** Reminders are off. */
  | { readonly outcome: 'off' };

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

/**
 * Reminders of votes. Methods that write reject with {@link StoreUnavailableError} or TallyhookError `queue_full`,
 * methods that only read with the driver's own error. Votes schedule the next reminder themselves, in their own
 * transaction.
 */
export interface ReminderStore {
  isReminded(accountId: AccountId): Promise<boolean>;
  stateOf(accountId: AccountId): Promise<ReminderState>;
  /** Switches the reminders of a community on. The ledger may know later votes than the service. Listings in the order of the argument. */
  switchOn(accountId: AccountId, listings: readonly ListingCooldown[], now: number): Promise<readonly NextReminder[]>;
  /** @param listings the names of the community's listings; null for all, if it is the only one */
  switchOff(accountId: AccountId, listings: readonly string[] | null): Promise<void>;
  /** Reminds again at `until`, unless the member has voted meanwhile: then at the next vote. */
  snooze(accountId: AccountId, listing: RemindedListing, until: number, now: number): Promise<SnoozeResult>;
  /** Leases due reminders, oldest first. A lease that ends makes a reminder due again. */
  claimReminders(claim: ReminderClaim): Promise<readonly Reminder[]>;
  /**
   * Replaces a due reminder by the effect that sends it. Returns its queue; null if the member has voted or stopped
   * reminders meanwhile.
   * @param accounts those of the listing's community
   */
  enqueueReminder(reminder: Reminder, accounts: AccountScope, now: number): Promise<string | null>;
  /** Moves a reminder to the listing that stands for its own one; that listing's own reminder takes precedence. */
  moveReminder(reminder: Reminder, listing: string): Promise<void>;
  /** Changes when a reminder is due, unless the member has voted or stopped reminders meanwhile. */
  postponeReminder(reminder: Reminder, dueAt: number): Promise<void>;
  /**
   * Whether the message of a reminder is still to be sent: reminders are on, and the member has neither voted nor
   * postponed it since.
   */
  isCurrent(reminder: Reminder, listing: ReminderAccounts): Promise<boolean>;
  /** Makes a reminder due again whose effect is too old to be sent, unless there is a newer one. */
  returnReminder(reminder: Reminder): Promise<void>;
  /** Switches off the reminders of a member in all communities for this reason, of which the member is to be informed. */
  stopReminders(userId: string, reason: StopReason, now: number): Promise<void>;
  /** The members that are to be informed why their reminders were switched off. */
  untoldMembers(): Promise<readonly string[]>;
  /** Why the reminders of a member were switched off; null for all but the first caller. */
  takeStopReason(userId: string): Promise<StopReason | null>;
}
