import { z } from 'zod';
import { second } from '../../platform/durations.ts';
import { voteCooldown } from '../listing/cooldown.ts';
import { type CheckContext, requestAs } from './check.ts';

/** Rounding, the precision of the header Date, and a clock that is a little off (ms). */
const tolerance = 2 * second;

/** ISO 8601 in UTC, with or without milliseconds. */
const moment = z.iso.datetime();
const status = z.object({
  canVote: z.boolean(),
  lastVoteDate: moment,
  nextVoteDate: moment,
  secondsUntilVote: z.number().nonnegative(),
});

/** The vote status of a user who has voted, and when it was said. */
export interface VotedUser {
  readonly status: z.infer<typeof status>;
  /**
   * When the answer was made (ms since the epoch), as each of two clocks has it: this machine's, and that of the service by its header Date.
   * Either may be wrong, so a service is believed that agrees with one of them.
   */
  readonly moments: readonly { readonly from: number; readonly to: number }[];
}

/** @throws ZodError where it is no vote status of somebody who has voted */
export async function askVotedUser(bench: CheckContext, userId: string): Promise<VotedUser> {
  const from = bench.clock.now();
  const { body, headers } = await requestAs(bench, 'server', `/votes/${userId}`);
  const to = bench.clock.now();
  const date = Date.parse(headers.get('date') ?? '');
  const serviceMoment = Number.isNaN(date) ? [] : [{ from: date, to: date + second }];
  return { status: status.parse(body['data']), moments: [{ from, to }, ...serviceMoment] };
}

/** A fault of the dates and `canVote` (document, sections 2.4 and 3); null when there is none. */
export function faultOfDates({ status }: VotedUser): string | null {
  const { canVote, lastVoteDate, nextVoteDate, secondsUntilVote } = status;
  const cooldown = Date.parse(nextVoteDate) - Date.parse(lastVoteDate);
  // Dates of different precision are up to a second further apart.
  const isExact = [lastVoteDate, nextVoteDate].every(hasMilliseconds);
  if (Math.abs(cooldown - voteCooldown) >= (isExact ? 1 : second)) return 'the dates are not 12 hours apart';
  return canVote === (secondsUntilVote === 0) ? null : 'canVote and secondsUntilVote contradict each other';
}

/** Whether `secondsUntilVote` is the time until `nextVoteDate`, and 0 after it, when the user may vote (document, sections 2.4 and 3). */
export function faultOfSeconds({ status, moments }: VotedUser): string | null {
  const end = Date.parse(status.nextVoteDate);
  const said = status.secondsUntilVote * second;
  const holds = moments.some(({ from, to }) => {
    const [least, most] = [Math.max(0, end - to), Math.max(0, end - from)];
    const agrees = status.canVote ? least <= tolerance : most > 0;
    return agrees && said >= least - tolerance && said <= most + tolerance;
  });
  return holds ? null : `${status.secondsUntilVote} seconds until ${status.nextVoteDate}`;
}

export function hasMilliseconds(date: string): boolean {
  return /\.\d{3}Z$/.test(date);
}
