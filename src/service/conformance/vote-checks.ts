import { type CheckContext, type ConformanceCheck, requestAs, Skip } from './check.ts';
import { nobody } from './endpoint-checks.ts';
import { askVotedUser, faultOfDates, faultOfSeconds, hasMilliseconds, type VotedUser } from './voted-user.ts';

/** What holds of a vote status (document, sections 2.4 and 3). @param votedUser one who has voted for the server. */
export function voteChecks(votedUser: string | undefined): ConformanceCheck[] {
  const voted = (
    line: string,
    faultOf: (seen: VotedUser) => string | null,
    from: ConformanceCheck['from'],
  ): ConformanceCheck => ({
    section: '2.4, 3',
    line: `a user who has voted: ${line}`,
    from,
    see: async (bench) => {
      if (votedUser === undefined) throw new Skip('no --voted-user was given');
      return faultOf(await askVotedUser(bench, votedUser));
    },
  });
  return [
    voted('dates 12 hours apart, and canVote as the seconds say', faultOfDates, 'document'),
    voted('secondsUntilVote is the time until nextVoteDate', faultOfSeconds, 'document'),
    // The document has them, but every reader of ISO 8601 takes a date without: no reason to fail.
    voted('dates with milliseconds', faultOfPrecision, 'choice'),
    {
      section: '2.4',
      line: 'a user who has never voted may vote',
      from: 'document',
      see: async (bench) => ((await statusOfNobody(bench))['canVote'] === true ? null : 'canVote is not true'),
    },
    {
      section: 'silent',
      line: 'a user who has never voted: both dates null, 0 seconds',
      from: 'choice',
      see: async (bench) => {
        const { lastVoteDate, nextVoteDate, secondsUntilVote } = await statusOfNobody(bench);
        const asChosen = lastVoteDate === null && nextVoteDate === null && secondsUntilVote === 0;
        return asChosen ? null : JSON.stringify({ lastVoteDate, nextVoteDate, secondsUntilVote });
      },
    },
  ];
}

function faultOfPrecision({ status: { lastVoteDate, nextVoteDate } }: VotedUser): string | null {
  return [lastVoteDate, nextVoteDate].find((date) => !hasMilliseconds(date)) ?? null;
}

async function statusOfNobody(bench: CheckContext): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await requestAs(bench, 'server', `/votes/${nobody}`);
  const data = body['data'];
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
