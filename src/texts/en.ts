import type { ListingKind } from '../lookup/lookup.ts';
import type { LookupErrorCode } from '../lookup/lookup-error.ts';
import type { ReviewSort } from '../lookup/schemas.ts';
import { announcement } from './announcement.ts';
import { claim } from './claim.ts';
import { creditCount } from './credit-count.ts';
import { bold, grouped, type Markup, markup, subtext } from './markup.ts';
import { party } from './party.ts';
import { privacy } from './privacy.ts';
import { remind } from './remind.ts';
import { shop } from './shop.ts';
import { credits, leaderboard } from './standings.ts';
import { trace } from './trace.ts';

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
  /** `typed` is not the name of a listing; `names` are those of some listings, and `more` counts the others. */
  unknown: (typed: Markup, names: Markup, more: number) =>
    more === 0
      ? markup`There is no listing ${bold(typed)}. Choose one of these: ${names}.`
      : markup`There is no listing ${bold(typed)}. Choose one of these, or one of ${grouped(more)} more: ${names}.`,
  asOf: (time: Markup) => subtext(markup`The listing service did not respond. Last updated ${time}.`),
};

/** `user` is null for the member who runs the command. */
const canVote = {
  description: 'Check if you can vote, or when you can vote again.',
  userOption: 'Check another member instead of yourself.',
  voteButton: 'Vote',
  /** `name` is that of another listing; Discord shows up to 80 characters. */
  voteFor: (name: string) => `Vote for ${name}`,
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

const searchedReviews: Readonly<Record<ReviewSort | 'all', (count: string) => string>> = {
  newest: (count) => `the newest ${count} reviews`,
  highest: (count) => `the ${count} highest rated reviews`,
  lowest: (count) => `the ${count} lowest rated reviews`,
  all: (count) => `${count} reviews`,
};

const reviews = {
  description: 'Show reviews of this server.',
  sortOption: 'Sort order (default: newest).',
  starsOption: 'Show only reviews with this many stars (default: all).',
  limitOption: 'How many reviews to show, up to 50 (default: 10).',
  sorts: { newest: 'newest', highest: 'highest', lowest: 'lowest' } satisfies Record<ReviewSort, string>,
  title: markup`Reviews`,
  none: markup`Nobody has written a review yet. Be the first!`,
  anonymous: markup`Anonymous`,
  noRating: markup`No rating`,
  noComment: markup`*No text.*`,
  /** "12 of 345 reviews"; the total decides between singular and plural. */
  count: (total: number, shown: string, groupedTotal: string) =>
    `${shown} of ${groupedTotal} ${total === 1 ? 'review' : 'reviews'}`,
  page: (number: string, of: string) => `page ${number} of ${of}`,
  /** "With 4 stars: 3 of the newest 50 reviews"; `sort` is null if all reviews were searched. */
  filtered: (
    sort: ReviewSort | null,
    stars: number,
    { matching, searched }: { readonly matching: string; readonly searched: string },
  ) => `With ${stars} ${stars === 1 ? 'star' : 'stars'}: ${matching} of ${searchedReviews[sort ?? 'all'](searched)}`,
  shown: (shown: string) => `${shown} shown`,
  noneMatch: markup`No review found with this many stars.`,
  anyStars: 'All reviews',
  found: (count: number, grouped: string) => `${grouped} ${count === 1 ? 'review' : 'reviews'}`,
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
  ...{ listing, canVote, reviews, stats, remind, credits, leaderboard, shop, claim, privacy, help, award, trace },
  ...{ announcement, party, role, directMessage, ownerReport, failure },
};

/** All texts that members see, in one language. */
export type Texts = typeof en;
