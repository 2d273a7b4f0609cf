import { voteCooldown } from '../listing/cooldown.ts';
import { askAs, type Check, Skip } from './check.ts';
import { nobody } from './endpoint-checks.ts';

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What holds of a vote status (document, sections 2.4 and 3). @param votedUser one who has voted for the server. */
export function voteChecks(votedUser: string | undefined): Check[] {
  const voted: Check['see'] = async (bench) => {
    if (votedUser === undefined) throw new Skip('no --voted-user was given');
    const { body } = await askAs(bench, 'server', `/votes/${votedUser}`);
    return faultOfVoted(body['data'] as Readonly<Record<string, unknown>> | undefined);
  };
  return [
    {
      section: '2.4, 3',
      line: 'a user who has voted: dates with milliseconds, 12 hours apart, and canVote as they say',
      from: 'document',
      see: voted,
    },
    {
      section: '2.4',
      line: 'a user who has never voted may vote',
      from: 'document',
      see: async (bench) => {
        const { body } = await askAs(bench, 'server', `/votes/${nobody}`);
        return (body['data'] as { canVote?: unknown } | undefined)?.canVote === true ? null : 'canVote is not true';
      },
    },
    {
      section: 'silent',
      line: 'a user who has never voted: both dates null, 0 seconds',
      from: 'choice',
      see: async (bench) => {
        const { body } = await askAs(bench, 'server', `/votes/${nobody}`);
        const data = (body['data'] ?? {}) as Readonly<Record<string, unknown>>;
        const asChosen =
          data['lastVoteDate'] === null && data['nextVoteDate'] === null && data['secondsUntilVote'] === 0;
        return asChosen ? null : JSON.stringify(data);
      },
    },
  ];
}

function faultOfVoted(data: Readonly<Record<string, unknown>> | undefined): string | null {
  const { canVote, lastVoteDate, nextVoteDate, secondsUntilVote } = data ?? {};
  if (typeof lastVoteDate !== 'string' || !moment.test(lastVoteDate)) return `lastVoteDate is ${String(lastVoteDate)}`;
  if (typeof nextVoteDate !== 'string' || !moment.test(nextVoteDate)) return `nextVoteDate is ${String(nextVoteDate)}`;
  if (Date.parse(nextVoteDate) - Date.parse(lastVoteDate) !== voteCooldown) return 'the dates are not 12 hours apart';
  if (typeof secondsUntilVote !== 'number' || secondsUntilVote < 0)
    return `secondsUntilVote is ${String(secondsUntilVote)}`;
  if (secondsUntilVote > voteCooldown / 1_000) return 'more than 12 hours are left';
  return canVote === (secondsUntilVote === 0) ? null : 'canVote and secondsUntilVote contradict each other';
}
