import type { Cause } from '../ledger/entry.ts';
import type { LeaderboardPeriod, LeaderboardScore } from '../ledger/standing.ts';
import { creditCount } from './credit-count.ts';
import { bold, joined, type Markup, markup } from './markup.ts';

/** The causes of entries. */
const causes: Readonly<Record<Cause, Markup>> = {
  vote: markup`Vote`,
  denied: markup`Vote without credits from the service`,
  claim: markup`Claimed vote`,
  within_cooldown: markup`Vote within the cooldown`,
  premium: markup`Premium`,
  revoked: markup`Revoked premium`,
  streak: markup`Streak`,
  milestone: markup`Milestone`,
  party: markup`Vote party`,
  allListings: markup`Votes on all listings`,
  purchase: markup`Purchase`,
  refund: markup`Refund`,
  correction: markup`Correction`,
};

/** `grouped` is the formatted number, where a number decides between singular and plural. */
export const credits = {
  description: 'Show your credits, rank and streak, and when you can vote again.',
  userOption: 'Show the account of another member.',
  title: markup`Credits`,
  /** `rank` is null without credits and votes. */
  balance: (amount: number, grouped: Markup, rank: Markup | null) =>
    rank === null
      ? creditCount(amount, grouped)
      : markup`${creditCount(amount, grouped)} · rank ${bold(markup`#${rank}`)}`,
  days: (days: number, grouped: Markup) => markup`${bold(grouped)} ${days === 1 ? markup`day` : markup`days`}`,
  streak: (days: Markup, ends: Markup) => markup`Streak: ${days}, ends ${ends} without another vote`,
  noStreak: markup`No streak at the moment`,
  nextVote: markup`Next vote`,
  now: (name: Markup) => markup`${bold(name)}: now`,
  later: (name: Markup, time: Markup) => markup`${bold(name)}: ${time}`,
  nextMilestone: markup`Next milestone`,
  /** `left` is the number of votes until then, `reward` what it pays. */
  milestone: (votes: Markup, left: number, groupedLeft: Markup, reward: Markup) =>
    markup`At ${bold(votes)} votes, ${groupedLeft} more ${left === 1 ? markup`vote` : markup`votes`}: ${reward}`,
  reward: (amount: number, grouped: Markup) => markup`+${creditCount(amount, grouped)}`,
  role: (role: Markup) => markup`the role ${role}`,
  /** Where roles cannot be shown. */
  someRole: markup`a role`,
  entries: markup`Latest entries`,
  noEntries: markup`None yet`,
  causes,
  entry: (amount: Markup, cause: Markup, time: Markup) => markup`${bold(amount)} · ${cause} · ${time}`,
  cause: (cause: Markup, listing: Markup | null, reason: Markup | null) =>
    joined([joined([cause, listing], ': '), reason === null ? null : markup`(${reason})`], ' '),
  remindButton: 'Remind me',
  shopButton: 'Shop',
};

export const leaderboard = {
  description: 'Show the members with the most votes or credits, or the longest streak.',
  periodOption: 'The time that counts (default: all time).',
  byOption: 'What to rank by (default: credits).',
  periods: { week: 'this week', month: 'this month', all: 'all time' } satisfies Record<LeaderboardPeriod, string>,
  scores: { votes: 'votes', credits: 'credits', streak: 'streak' } satisfies Record<LeaderboardScore, string>,
  title: (by: LeaderboardScore, period: LeaderboardPeriod): Markup =>
    by === 'streak' ? markup`Longest current streaks` : titles[by][period],
  /** "12 votes", "12 credits" or "12 days". */
  score: (by: LeaderboardScore, score: number, grouped: Markup) =>
    markup`${bold(grouped)} ${units[by][score === 1 ? 'one' : 'other']}`,
  line: (rank: Markup, user: Markup, score: Markup) => markup`${bold(markup`#${rank}`)} ${user} · ${score}`,
  /** `score` is what a member lacks for the next rank, or for sharing it. */
  distance: (score: Markup, rank: Markup) => markup`${score} to ${bold(markup`#${rank}`)}`,
  none: markup`Nobody is ranked here yet. Be the first!`,
  notRanked: (user: Markup) => markup`${user} is not ranked here yet.`,
  /** The total decides between singular and plural. */
  count: (total: string, page: string, pages: string) =>
    `page ${page} of ${pages} · ${total} ${total === '1' ? 'member' : 'members'}`,
  previous: 'Previous',
  next: 'Next',
  me: 'Me',
};

const titles = {
  votes: { week: markup`Most votes this week`, month: markup`Most votes this month`, all: markup`Most votes` },
  credits: { week: markup`Most credits this week`, month: markup`Most credits this month`, all: markup`Most credits` },
};
const units: Readonly<Record<LeaderboardScore, { readonly one: Markup; readonly other: Markup }>> = {
  votes: { one: markup`vote`, other: markup`votes` },
  credits: { one: markup`credit`, other: markup`credits` },
  streak: { one: markup`day`, other: markup`days` },
};
