import { type CheckContext, type ConformanceCheck, requestWithKey, SkipCheckError } from './check.ts';
import { unknownUserId } from './endpoint-checks.ts';
import { dateIssue, fetchVoteStatus, hasMilliseconds, type ObservedVoteStatus, secondsIssue } from './vote-status.ts';

/**
 * The checks of the vote status (document, sections 2.4 and 3).
 * @param votedUser the id of a user who has voted for the server
 */
export function voteChecks(votedUser: string | undefined): ConformanceCheck[] {
  const votedCheck = (line: string, issueOf: (observed: ObservedVoteStatus) => string | null): ConformanceCheck => ({
    section: '2.4, 3',
    line: `a user who has voted: ${line}`,
    source: 'document',
    run: async (context) => {
      if (votedUser === undefined) throw new SkipCheckError('no --voted-user was provided');
      return issueOf(await fetchVoteStatus(context, votedUser));
    },
  });
  return [
    votedCheck('the dates are 12 hours apart, and canVote agrees with the seconds', dateIssue),
    votedCheck('secondsUntilVote is the time until nextVoteDate', secondsIssue),
    votedCheck('the dates have milliseconds', precisionIssue),
    {
      section: '2.4',
      line: 'a user who has never voted: canVote is true',
      source: 'document',
      run: async (context) => ((await unknownUserStatus(context))['canVote'] === true ? null : 'canVote is not true'),
    },
    {
      section: 'silent',
      line: 'a user who has never voted: both dates are null, and 0 seconds',
      source: 'choice',
      run: async (context) => {
        const { lastVoteDate, nextVoteDate, secondsUntilVote } = await unknownUserStatus(context);
        const isExpected = lastVoteDate === null && nextVoteDate === null && secondsUntilVote === 0;
        return isExpected ? null : JSON.stringify({ lastVoteDate, nextVoteDate, secondsUntilVote });
      },
    },
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
