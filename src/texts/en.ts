import type { Cause } from '../ledger/entry.ts';
import type { LeaderboardPeriod, LeaderboardScore } from '../ledger/standing.ts';
import type { ListingKind } from '../lookup/lookup.ts';
import type { LookupErrorCode } from '../lookup/lookup-error.ts';
import type { ReviewSort } from '../lookup/schemas.ts';
import { announcement } from './announcement.ts';
import { creditCount } from './credit-count.ts';
import { bold, joined, type Markup, markup, subtext } from './markup.ts';
import { party } from './party.ts';

/*
 * All texts that members see, in English. Texts that Discord renders are {@link Markup} and accept only Markup, so
 * external text is escaped before it gets here. Plain strings are for places without markup (the command picker,
 * buttons, footers).
 */

const listing = {
  /** The names of the choices of the option `listing`. */
  kinds: { server: 'server', bot: 'bot' } satisfies Record<ListingKind, string>,
  option: 'Choose a listing.',
  /** A listing whose name is unknown at the moment. */
  unnamed: { server: markup`this server`, bot: markup`this bot` } satisfies Record<ListingKind, Markup>,
  asOf: (time: Markup) => subtext(markup`The listing service did not respond. Last updated ${time}.`),
};

/** `user` is null for the member who runs the command. */
const canVote = {
  description: 'Check if you can vote, or when you can vote again.',
  userOption: 'Check another member instead of yourself.',
  voteButton: 'Vote',
  titleNow: markup`Ready to vote`,
  titleLater: markup`Not yet`,
  now: (user: Markup | null, name: Markup) => markup`${user ?? markup`You`} can vote for ${bold(name)} now.`,
  /** `time` is null if the service does not send it. */
  later: (user: Markup | null, name: Markup, time: Markup | null) =>
    time === null
      ? markup`${user ?? markup`You`} voted for ${bold(name)} recently, and can vote again when the cooldown ends.`
      : markup`${user ?? markup`You`} can vote for ${bold(name)} again ${time}.`,
  lastVote: (time: Markup) => markup`Last vote: ${time}`,
};

const reviews = {
  description: 'Show reviews of this server.',
  sortOption: 'Sort order (default: newest).',
  limitOption: 'How many reviews to show, up to 50 (default: 10).',
  sorts: { newest: 'newest', highest: 'highest', lowest: 'lowest' } satisfies Record<ReviewSort, string>,
  title: markup`Reviews`,
  none: markup`Nobody has written a review yet. Be the first!`,
  anonymous: markup`Anonymous`,
  noRating: markup`No rating`,
  noComment: markup`*No text.*`,
  /** "12 of 345 reviews", with the page if there are several. The total decides between singular and plural. */
  count: (shown: string, total: string, page: { readonly number: string; readonly of: string } | null) =>
    `${shown} of ${total} ${total === '1' ? 'review' : 'reviews'}${page === null ? '' : ` · page ${page.number} of ${page.of}`}`,
  previous: 'Previous',
  next: 'Next',
};

const stats = {
  description: 'Show the profile and votes of a server or bot.',
  votes: markup`Votes`,
  monthlyVotes: markup`Votes this month`,
  members: markup`Members`,
  online: markup`Online`,
  channels: markup`Channels`,
  roles: markup`Roles`,
  servers: markup`Servers`,
  shards: markup`Shards`,
  category: markup`Category`,
  tags: markup`Tags`,
  pageButton: 'View listing',
};

const help = {
  description: 'Show the commands that you can use.',
  title: markup`Commands`,
  /** Headings. */
  everyone: bold(markup`For everyone`),
  managers: bold(markup`For members with the permission Manage Server`),
};

/** `grouped` is the formatted number of credits. */
const award = {
  description: 'Add credits to the account of a member, or subtract them.',
  userOption: 'The member.',
  creditsOption: 'How many credits to add; a negative number subtracts.',
  reasonOption: 'The reason, stored with the credits.',
  title: markup`Account corrected`,
  corrected: (user: Markup, credits: number, grouped: Markup) =>
    credits > 0
      ? markup`${user} received ${creditCount(Math.abs(credits), grouped)}.`
      : markup`${user} lost ${creditCount(Math.abs(credits), grouped)}.`,
  reason: (reason: Markup) => markup`Reason: ${reason}`,
  balance: (credits: number, grouped: Markup) => markup`New balance: ${creditCount(credits, grouped)}`,
  overdrawn: (user: Markup, credits: number, grouped: Markup) =>
    markup`${user} has only ${creditCount(credits, grouped)}, and a balance cannot be less than zero. Nothing was changed.`,
  invalid: (max: Markup) =>
    markup`Enter a member, a reason, and a whole number of credits that is not 0, from -${max} to ${max}.`,
};

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
const credits = {
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

const leaderboard = {
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

/** The reasons in the server's audit log for changes of a member's roles. */
const role = {
  added: 'tallyhook: the role was earned',
  removed: 'tallyhook: the role has ended',
};

const directMessage = {
  reminder: {
    title: markup`You can vote again`,
    text: (name: Markup) => markup`${bold(name)} looks forward to your vote.`,
  },
};

/** Messages in the owner's channel. */
const ownerReport = {
  roleFailed: {
    title: markup`A role could not be changed`,
    text: (roleMention: Markup, user: Markup, reason: Markup) => markup`${roleMention} for ${user}: ${reason}`,
    once: markup`This cause is reported once per role. The owner console lists all failed effects.`,
  },
};

/** `retry` is when to try again; null if unknown. */
const tryAgain = (retry: Markup | null) =>
  retry === null ? markup`Please try again later.` : markup`Please try again ${retry}.`;
const needsOperator = markup`Trying again will not help; the operators of this bot need to fix it.`;

/** Lookups without a usable response. */
const lookupFailures: Readonly<Record<LookupErrorCode, (retry: Markup | null) => Markup>> = {
  lookup_wrong_key_type: () => markup`The bot is not configured for this listing. ${needsOperator}`,
  lookup_bad_parameter: () => markup`The listing service rejected this request.`,
  lookup_bad_request: () => markup`The listing service rejected this request. ${needsOperator}`,
  lookup_key_refused: () => markup`The listing service denied access to the bot. ${needsOperator}`,
  lookup_not_found: () => markup`The listing service found nothing for this request.`,
  lookup_rate_limited: (retry) => markup`The listing service limits the requests of the bot. ${tryAgain(retry)}`,
  lookup_over_budget: (retry) => markup`There are too many requests at the moment. ${tryAgain(retry)}`,
  lookup_uncounted: (retry) =>
    markup`The bot has a temporary problem and cannot contact the listing service. ${tryAgain(retry)}`,
  lookup_service_error: (retry) => markup`The listing service has a temporary problem. ${tryAgain(retry)}`,
  lookup_unreachable: (retry) => markup`The listing service cannot be reached. ${tryAgain(retry)}`,
  lookup_timeout: (retry) => markup`The listing service took too long to respond. ${tryAgain(retry)}`,
  lookup_not_json: (retry) => markup`The listing service sent an unreadable response. ${tryAgain(retry)}`,
  lookup_wrong_shape: (retry) =>
    markup`The listing service sent a response that the bot does not understand. ${tryAgain(retry)}`,
  lookup_unexpected_status: (retry) => markup`The listing service sent an unexpected response. ${tryAgain(retry)}`,
};

const failure = {
  title: markup`That did not work`,
  lookup: lookupFailures,
  /** An unexpected error; `incident` is its id in the log. */
  incident: (incident: Markup) =>
    markup`Something went wrong. If it happens again, give the operators of this bot this code: ${bold(incident)}.`,
  tooLate: (retry: Markup) => markup`This took too long. ${tryAgain(retry)}`,
  unknownCommand: markup`This command is no longer available. Discord may show it for a while.`,
  unknownButton: markup`This button has expired. Run the command again.`,
  managersOnly: markup`Only members with the permission Manage Server can do this.`,
};

/** English. */
export const en = {
  ...{ listing, canVote, reviews, stats, credits, leaderboard, help, award },
  ...{ announcement, party, role, directMessage, ownerReport, failure },
};

/** All texts that members see, in one language. */
export type Texts = typeof en;
