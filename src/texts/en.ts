import type { ListingKind } from '../lookup/lookup.ts';
import type { LookupErrorCode } from '../lookup/lookup-error.ts';
import type { ReviewSort } from '../lookup/schemas.ts';
import type { PurchaseRejection, PurchaseState } from '../rewards/purchase.ts';
import { bold, type Markup, markup, subtext } from './markup.ts';

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

const someone = markup`Someone`;
const premium = (tier: Markup | null) => (tier === null ? markup`premium` : bold(tier));
const subscription = (user: Markup | null, tier: Markup | null) => {
  const level = tier === null ? markup`Premium` : bold(tier);
  return user === null ? level : markup`${level} of ${user}`;
};
const creditCount = (credits: number, grouped: Markup) =>
  markup`${bold(grouped)} ${credits === 1 ? markup`credit` : markup`credits`}`;

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

const price = (credits: number, grouped: Markup) => (credits === 0 ? markup`free` : creditCount(credits, grouped));

/** Why an item is not sold, by the rejection. */
const shopRejections: Readonly<Record<PurchaseRejection, Markup>> = {
  unknown_item: markup`This item is no longer in the shop.`,
  price_changed: markup`The price has changed. Please look at the item again.`,
  role_required: markup`You do not have the role that this item requires.`,
  already_owned: markup`You have this role already, without an end.`,
  no_channel: markup`This item cannot be bought at the moment; the operators of this bot need to set the owner's channel.`,
  sold_out: markup`This item is sold out.`,
  overdrawn: markup`You do not have enough credits.`,
};

/** Formatted numbers of credits are `grouped`; they come with the number, which decides between singular and plural. */
const shop = {
  description: 'Buy something with your credits.',
  title: markup`Shop`,
  empty: markup`There is nothing to buy here.`,
  button: 'Shop',
  buy: 'Buy',
  confirm: 'Confirm',
  cancel: 'Cancel',
  previous: 'Previous',
  next: 'Next',
  done: 'Done',
  refund: 'Refund',
  purchases: 'My purchases',
  choose: 'Choose an item',
  page: (number: string, of: string) => `page ${number} of ${of}`,
  balance: (credits: number, grouped: Markup) => markup`Your balance: ${creditCount(credits, grouped)}`,
  price,
  /** For a choice of the select. */
  plainPrice: (credits: number, grouped: string) =>
    credits === 0 ? 'free' : `${grouped} ${credits === 1 ? 'credit' : 'credits'}`,
  left: (grouped: Markup) => markup`${grouped} left`,
  soldOut: markup`sold out`,
  role: (role: Markup, duration: Markup | null) =>
    duration === null ? markup`role ${role}` : markup`role ${role} for ${duration}`,
  code: markup`a code`,
  manual: markup`fulfilled by the team`,
  requires: (role: Markup) => markup`only with ${role}`,
  rejections: shopRejections,
  confirmation: {
    title: markup`Buy this?`,
    item: (name: Markup, cost: Markup) => markup`${bold(name)}: ${cost}`,
    balance: (before: Markup, after: Markup) => markup`Your balance: ${bold(before)} → ${bold(after)}`,
    role: (role: Markup, until: Markup | null) =>
      until === null ? markup`You get the role ${role}.` : markup`You get the role ${role} until ${until}.`,
    code: markup`You get a code that only you can see.`,
    manual: markup`The team of this server is told, and fulfils it by hand.`,
  },
  receipt: {
    title: markup`Thank you!`,
    refundedTitle: markup`Refunded`,
    bought: (name: Markup, cost: Markup) => markup`You bought ${bold(name)} (${cost}).`,
    role: (role: Markup, until: Markup | null) =>
      until === null ? markup`The role ${role} is yours.` : markup`The role ${role} is yours until ${until}.`,
    /** Discord has not given it yet. */
    roleSoon: markup`It takes a moment until Discord shows it. If Discord refuses, you get your credits back.`,
    code: markup`Your code, which is only yours:`,
    manual: markup`The team has been told. You get a direct message when it is done.`,
    fulfilled: markup`It is done.`,
    refunded: markup`You got your credits back.`,
    balance: (credits: number, grouped: Markup) => markup`Your new balance: ${creditCount(credits, grouped)}`,
  },
  history: {
    title: markup`Your purchases`,
    none: markup`You have not bought anything yet.`,
    newest: (count: Markup) => subtext(markup`The newest ${count} are shown.`),
    states: {
      confirmed: markup`paid, not fulfilled yet`,
      fulfilled: markup`fulfilled`,
      refunded: markup`refunded`,
    } satisfies Record<PurchaseState, Markup>,
    line: (name: Markup, cost: Markup, at: Markup, state: Markup) => markup`${bold(name)} · ${cost} · ${at} · ${state}`,
  },
  report: {
    title: (id: Markup) => markup`Purchase ${id}`,
    text: (user: Markup, name: Markup, cost: Markup) => markup`${user} bought ${bold(name)} (${cost}).`,
    todo: markup`Press Done when the buyer has it. The buyer is told by direct message.`,
    refundedRole: markup`Discord did not give the role, so the price was refunded, and the item is in stock again.`,
    settled: {
      fulfilled: (manager: Markup) => markup`Done, by ${manager}.`,
      refunded: (manager: Markup) => markup`Refunded, by ${manager}.`,
    },
    settledBefore: {
      fulfilled: markup`This purchase is done already.`,
      refunded: markup`This purchase was refunded already.`,
      confirmed: markup`This purchase is not fulfilled yet.`,
    } satisfies Record<PurchaseState, Markup>,
  },
  message: {
    fulfilledTitle: markup`Your purchase is done`,
    fulfilled: (name: Markup) => markup`${bold(name)} is yours now.`,
    refundedTitle: markup`Your purchase was refunded`,
    refunded: (name: Markup, cost: Markup) =>
      markup`${bold(name)} could not be delivered. You got the price back: ${cost}.`,
  },
};

/** Our own reasons for a denial, by the reason of the announcement. */
const reasons: Readonly<Record<string, Markup>> = {
  within_cooldown: markup`The previous vote was too recent.`,
  order_revoked: markup`The purchase was revoked earlier.`,
  'denied by the service': markup`The service denied the credits.`,
};

/** `user` is null if the event has no user. */
const announcement = {
  titles: {
    vote: markup`Thank you for the vote!`,
    bought: markup`Premium purchased`,
    renewed: markup`Premium renewed`,
    expired: markup`Premium expired`,
    revoked: markup`Premium revoked`,
    other: markup`Listing event`,
  },
  test: markup`This is a test`,
  tested: (event: Markup, name: Markup) =>
    markup`The webhook of ${bold(name)} works: a test of ${event} arrived. Tests give no credits.`,
  voted: (user: Markup | null, name: Markup) => markup`${user ?? someone} voted for ${bold(name)}.`,
  bought: (user: Markup | null, name: Markup, tier: Markup | null) =>
    markup`${user ?? someone} got ${premium(tier)} for ${bold(name)}.`,
  gifted: (user: Markup | null, giver: Markup, name: Markup, tier: Markup | null) =>
    markup`${user ?? someone} got ${premium(tier)} for ${bold(name)} as a gift from ${giver}.`,
  renewed: (user: Markup | null, name: Markup, tier: Markup | null) =>
    markup`${user ?? someone} renewed ${premium(tier)} for ${bold(name)}.`,
  expired: (user: Markup | null, name: Markup, tier: Markup | null) =>
    markup`${subscription(user, tier)} for ${bold(name)} has expired.`,
  revoked: (user: Markup | null, name: Markup, tier: Markup | null) =>
    markup`${subscription(user, tier)} for ${bold(name)} was revoked.`,
  other: (user: Markup | null, event: Markup, name: Markup) =>
    user === null ? markup`${bold(name)}: ${event}.` : markup`${bold(name)}: ${event}, by ${user}.`,
  /** `credits` decides between singular and plural, `grouped` is the formatted number. */
  credits: (credits: number, grouped: Markup) => markup`+${creditCount(credits, grouped)}`,
  noCredits: markup`No credits this time.`,
  balance: (credits: number, grouped: Markup) => markup`Balance: ${creditCount(credits, grouped)}`,
  because: (reason: Markup) => markup`Reason given by the service: ${reason}`,
  reasons,
  nextVote: (time: Markup) => markup`Can vote again ${time}.`,
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
  listing,
  canVote,
  reviews,
  stats,
  help,
  award,
  shop,
  announcement,
  role,
  directMessage,
  ownerReport,
  failure,
};

/** All texts that members see, in one language. */
export type Texts = typeof en;
