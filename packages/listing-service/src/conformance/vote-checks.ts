import { second } from '@tallyhook/platform/durations';
import { z } from 'zod';
import { voteCooldownMs } from '../listing/cooldown.ts';
import {
  type CheckContext,
  type ConformanceCheck,
  chosen,
  documented,
  requestWithKey,
  SkipCheckError,
  utcTimestamp,
} from './check.ts';
import { unknownUserId } from './endpoint-checks.ts';

/**
 * The checks of the vote status (document, sections 2.4 and 3).
 * @param votedUser the id of a user who has voted for the server
 */
export function voteChecks(votedUser: string | undefined): ConformanceCheck[] {
  const votedCheck = (line: string, issueOf: (observed: ObservedVoteStatus) => string | null) =>
    documented('2.4, 3', `a user who has voted: ${line}`, async (context) => {
      if (votedUser === undefined) throw new SkipCheckError('no --voted-user was provided');
      return issueOf(await fetchVoteStatus(context, votedUser));
    });
  return [
    votedCheck('the dates are 12 hours apart, and canVote agrees with the seconds', dateIssue),
    votedCheck('secondsUntilVote is the time until nextVoteDate', secondsIssue),
    votedCheck('the dates have milliseconds', precisionIssue),
    documented('2.4', 'a user who has never voted: canVote is true', async (context) =>
      (await unknownUserStatus(context))['canVote'] === true ? null : 'canVote is not true',
    ),
    chosen('a user who has never voted: both dates are null, and 0 seconds', async (context) => {
      const { lastVoteDate, nextVoteDate, secondsUntilVote } = await unknownUserStatus(context);
      const isExpected = lastVoteDate === null && nextVoteDate === null && secondsUntilVote === 0;
      return isExpected ? null : JSON.stringify({ lastVoteDate, nextVoteDate, secondsUntilVote });
    }),
  ];
}

function precisionIssue({ status: { lastVoteDate, nextVoteDate } }: ObservedVoteStatus): string | null {
  return [lastVoteDate, nextVoteDate].find((date) => !hasMilliseconds(date)) ?? null;
}

async function unknownUserStatus(context: CheckContext): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await requestWithKey(context, 'server', `/votes/${unknownUserId}`);
  const data = body['data'];
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

/** Allowance for rounding, the precision of the Date header, and clock skew (ms). */
const toleranceMs = 2 * second;

const timestamp = z.iso.datetime({ offset: true }).regex(utcTimestamp);
const status = z.object({
  canVote: z.boolean(),
  lastVoteDate: timestamp,
  nextVoteDate: timestamp,
  secondsUntilVote: z.number().nonnegative(),
});

/** The vote status of a user who has voted, with the time of the response. */
interface ObservedVoteStatus {
  readonly status: z.infer<typeof status>;
  /**
   * The time of the response (ms since the epoch) by two clocks: the local one, and that of the service (its Date
   * header). Either may be wrong, so the status has to agree with one of them.
   */
  readonly observedAt: readonly { readonly from: number; readonly to: number }[];
}

/** @throws ZodError if the response is not the status of a user who has voted */
async function fetchVoteStatus(context: CheckContext, userId: string): Promise<ObservedVoteStatus> {
  const from = context.clock.now();
  const { body, headers } = await requestWithKey(context, 'server', `/votes/${userId}`);
  const to = context.clock.now();
  const date = Date.parse(headers.get('date') ?? '');
  const serviceClock = Number.isNaN(date) ? [] : [{ from: date, to: date + second }];
  return { status: status.parse(body['data']), observedAt: [{ from, to }, ...serviceClock] };
}

/** The first issue of the dates and of `canVote` (document, sections 2.4 and 3), or null. */
function dateIssue({ status }: ObservedVoteStatus): string | null {
  const { canVote, lastVoteDate, nextVoteDate, secondsUntilVote } = status;
  const cooldownMs = Date.parse(nextVoteDate) - Date.parse(lastVoteDate);
  // Rounding to seconds may change the difference by up to a second.
  const isExact = [lastVoteDate, nextVoteDate].every(hasMilliseconds);
  if (Math.abs(cooldownMs - voteCooldownMs) >= (isExact ? 1 : second)) return 'the dates are not 12 hours apart';
  // A service may round down, so 0 seconds may still be a part of one.
  return canVote && secondsUntilVote > 0 ? 'canVote contradicts secondsUntilVote' : null;
}

/**
 * Null if `secondsUntilVote` is the time until `nextVoteDate`, and 0 afterwards, when the user may vote (document,
 * sections 2.4 and 3).
 */
function secondsIssue({ status, observedAt }: ObservedVoteStatus): string | null {
  const end = Date.parse(status.nextVoteDate);
  const reportedMs = status.secondsUntilVote * second;
  const isCorrect = observedAt.some(({ from, to }) => {
    const [minMs, maxMs] = [Math.max(0, end - to), Math.max(0, end - from)];
    const isConsistent = status.canVote ? minMs <= toleranceMs : maxMs > 0;
    return isConsistent && reportedMs >= minMs - toleranceMs && reportedMs <= maxMs + toleranceMs;
  });
  return isCorrect ? null : `${status.secondsUntilVote} seconds until ${status.nextVoteDate}`;
}

function hasMilliseconds(date: string): boolean {
  return /\.\d{3}(?:Z|\+00:00)$/.test(date);
}
