import { z } from 'zod';
import { second } from '../../platform/durations.ts';
import { voteCooldownMs } from '../listing/cooldown.ts';
import { type CheckContext, requestWithKey } from './check.ts';

/** Allowance for rounding, the precision of the Date header, and clock skew (ms). */
const toleranceMs = 2 * second;

/** ISO 8601 in UTC, with or without milliseconds. */
const timestamp = z.iso.datetime();
const status = z.object({
  canVote: z.boolean(),
  lastVoteDate: timestamp,
  nextVoteDate: timestamp,
  secondsUntilVote: z.number().nonnegative(),
});

/** The vote status of a user who has voted, with the time of the response. */
export interface ObservedVoteStatus {
  readonly status: z.infer<typeof status>;
  /**
   * The time of the response (ms since the epoch) by two clocks: the local one, and that of the service (its Date
   * header). Either may be wrong, so the status has to agree with one of them.
   */
  readonly observedAt: readonly { readonly from: number; readonly to: number }[];
}

/** @throws ZodError if the response is not the status of a user who has voted */
export async function fetchVoteStatus(context: CheckContext, userId: string): Promise<ObservedVoteStatus> {
  const from = context.clock.now();
  const { body, headers } = await requestWithKey(context, 'server', `/votes/${userId}`);
  const to = context.clock.now();
  const date = Date.parse(headers.get('date') ?? '');
  const serviceClock = Number.isNaN(date) ? [] : [{ from: date, to: date + second }];
  return { status: status.parse(body['data']), observedAt: [{ from, to }, ...serviceClock] };
}

/** The first issue of the dates and of `canVote` (document, sections 2.4 and 3), or null. */
export function dateIssue({ status }: ObservedVoteStatus): string | null {
  const { canVote, lastVoteDate, nextVoteDate, secondsUntilVote } = status;
  const cooldownMs = Date.parse(nextVoteDate) - Date.parse(lastVoteDate);
  // Rounding to seconds may change the difference by up to a second.
  const isExact = [lastVoteDate, nextVoteDate].every(hasMilliseconds);
  if (Math.abs(cooldownMs - voteCooldownMs) >= (isExact ? 1 : second)) return 'the dates are not 12 hours apart';
  return canVote === (secondsUntilVote === 0) ? null : 'canVote contradicts secondsUntilVote';
}

/**
 * Null if `secondsUntilVote` is the time until `nextVoteDate`, and 0 afterwards, when the user may vote (document,
 * sections 2.4 and 3).
 */
export function secondsIssue({ status, observedAt }: ObservedVoteStatus): string | null {
  const end = Date.parse(status.nextVoteDate);
  const reportedMs = status.secondsUntilVote * second;
  const isCorrect = observedAt.some(({ from, to }) => {
    const [minMs, maxMs] = [Math.max(0, end - to), Math.max(0, end - from)];
    const isConsistent = status.canVote ? minMs <= toleranceMs : maxMs > 0;
    return isConsistent && reportedMs >= minMs - toleranceMs && reportedMs <= maxMs + toleranceMs;
  });
  return isCorrect ? null : `${status.secondsUntilVote} seconds until ${status.nextVoteDate}`;
}

export function hasMilliseconds(date: string): boolean {
  return /\.\d{3}Z$/.test(date);
}
