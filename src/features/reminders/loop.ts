import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { QueueName } from '../../core/outbox/queue.ts';
import type { Reminder } from './reminder.ts';
import type { StoredReminders } from './store.ts';
import type { CheckedListing, CheckVote } from './vote-check.ts';

/** A reminder is sent within a minute of becoming due. */
const pollMs = 5 * second;
/** Longer than the timeout of a lookup. A reminder that nothing confirms is checked again when its lease ends. */
const leaseMs = 30 * second;
const batchSize = 50;
/** A time that is further ahead was written by a clock that was ahead (ms). */
const clockToleranceMs = minute;

/** `due`: the message was enqueued. `not_yet`: the member may not vote yet. `unknown`: nothing confirms it. */
export type ReminderOutcome = 'due' | 'not_yet' | 'unknown';

/** Checks the reminders that are due, and enqueues their messages. */
export function createReminderLoop(options: {
  readonly reminders: StoredReminders;
  /** The one with this name, or the one with the same target that is used instead. */
  readonly findListing: (name: string) => CheckedListing | undefined;
  /** The longest cooldown of all listings (ms). */
  readonly longestCooldownMs: () => number;
  readonly createCheck: () => CheckVote;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the queue of a new effect. */
  readonly onEnqueued: (queue: QueueName) => void;
  readonly onChecked: (outcome: ReminderOutcome) => void;
}): Loop {
  const { reminders, findListing, longestCooldownMs, createCheck, clock, log, onEnqueued, onChecked } = options;
  const maxAhead = () => Math.max(day, longestCooldownMs());

  async function check(reminder: Reminder, checkVote: CheckVote): Promise<void> {
    const now = clock.now();
    const listing = findListing(reminder.listing);
    // It may be configured again.
    if (listing === undefined) return reminders.postpone(reminder, now + maxAhead());
    const result = await checkVote(reminder.userId, listing);
    switch (result.outcome) {
      case 'mayVote': {
        const queue = await reminders.enqueue(reminder, listing.communityId, clock.now());
        if (queue === null) return;
        onChecked('due');
        onEnqueued(queue);
        return;
      }
      case 'notYet': {
        onChecked('not_yet');
        const dueAt = Math.min(Math.max(result.nextVoteAt, now + second), now + maxAhead());
        return reminders.postpone(reminder, dueAt);
      }
      case 'unknown':
        onChecked('unknown');
    }
  }

  /**
   * Moves reminders to the listings that represent theirs, which are reminded of instead. Before others are sent: then
   * a member whose reminders are due for both has one already.
   */
  async function withoutRepeated(claimed: readonly Reminder[]): Promise<readonly Reminder[]> {
    const own: Reminder[] = [];
    for (const reminder of claimed) {
      const { name = reminder.listing } = findListing(reminder.listing) ?? {};
      if (name === reminder.listing) own.push(reminder);
      else await reminders.move(reminder, name);
    }
    return own;
  }

  /** Returns whether more may be due. */
  async function poll(): Promise<boolean> {
    const now = clock.now();
    const claim = {
      now,
      leaseUntil: now + leaseMs,
      maxDueAt: now + maxAhead() + clockToleranceMs,
      maxLeaseUntil: now + leaseMs + clockToleranceMs,
      limit: batchSize,
    };
    if (!(await reminders.areDue(claim))) return false;
    const claimed = await reminders.claim(claim);
    const own = await withoutRepeated(claimed);
    const checkVote = createCheck();
    const results = await Promise.allSettled(own.map((reminder) => check(reminder, checkVote)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return claimed.length === batchSize;
  }

  return createLoop({
    round: poll,
    pauseMs: pollMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'reminders could not be checked; retrying'),
    clock,
  });
}
