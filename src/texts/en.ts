import { bold, type Markup, markup, subtext } from './markup.ts';
import type {
  AnnouncementTexts,
  CanVoteTexts,
  FailureTexts,
  ListingTexts,
  ReviewsTexts,
  StatsTexts,
  Texts,
} from './texts.ts';

const listing: ListingTexts = {
  kinds: { server: 'server', bot: 'bot' },
  option: 'Which listing you mean.',
  nameless: { server: markup`this server`, bot: markup`this bot` },
  asOf: (then) =>
    subtext(markup`There is no new answer from the listing service just now. This is what was known ${then}.`),
};

const canVote: CanVoteTexts = {
  description: 'See whether you can vote, or when you can vote again.',
  userOption: 'Somebody else than you.',
  voteButton: 'Vote',
  titleNow: markup`Ready to vote`,
  titleLater: markup`Not yet`,
  now: (who, name) => markup`${who ?? markup`You`} can vote for ${bold(name)} now.`,
  later: (who, name, when) =>
    when === null
      ? markup`${who ?? markup`You`} voted for ${bold(name)} not long ago, and can vote again when the cooldown is over.`
      : markup`${who ?? markup`You`} can vote for ${bold(name)} again ${when}.`,
  lastVote: (when) => markup`Last vote: ${when}`,
};

const reviews: ReviewsTexts = {
  description: 'Read what people say about this server.',
  sortOption: 'Which reviews come first (newest, unless you say otherwise).',
  limitOption: 'How many reviews to look at, up to 50 (10, unless you say otherwise).',
  sorts: { newest: 'newest', highest: 'highest', lowest: 'lowest' },
  title: markup`Reviews`,
  none: markup`Nobody has written a review yet. Be the first!`,
  nobody: markup`Somebody`,
  unrated: markup`No rating`,
  wordless: markup`*No words, only stars.*`,
  count: (shown, total, page) =>
    `${shown} of ${total} ${total === '1' ? 'review' : 'reviews'}${page === null ? '' : ` · page ${page.number} of ${page.of}`}`,
  previous: 'Previous',
  next: 'Next',
};

const stats: StatsTexts = {
  description: 'See the profile of the server or bot, with its votes.',
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
  pageButton: 'Open the page',
};

const somebody = markup`Somebody`;
const premium = (tier: Markup | null) => (tier === null ? markup`premium` : bold(tier));
const subscription = (who: Markup | null, tier: Markup | null) => {
  const what = tier === null ? markup`Premium` : bold(tier);
  return who === null ? what : markup`${what} of ${who}`;
};
const credited = (credits: number, grouped: Markup) =>
  markup`${bold(grouped)} ${credits === 1 ? markup`credit` : markup`credits`}`;

const announcement: AnnouncementTexts = {
  titles: {
    vote: markup`Thank you for the vote!`,
    bought: markup`Premium!`,
    renewed: markup`Premium renewed`,
    expired: markup`Premium ended`,
    revoked: markup`Premium taken back`,
    other: markup`News from the listing`,
  },
  test: markup`This is a test`,
  tested: (event, name) =>
    markup`The webhook of ${bold(name)} works: a test of ${event} arrived. Nobody gets credits for a test.`,
  voted: (who, name) => markup`${who ?? somebody} voted for ${bold(name)}.`,
  bought: (who, name, tier) => markup`${who ?? somebody} got ${premium(tier)} for ${bold(name)}.`,
  gifted: (who, by, name, tier) =>
    markup`${who ?? somebody} got ${premium(tier)} for ${bold(name)} as a gift from ${by}.`,
  renewed: (who, name, tier) => markup`${who ?? somebody} renewed ${premium(tier)} for ${bold(name)}.`,
  expired: (who, name, tier) => markup`${subscription(who, tier)} for ${bold(name)} has expired.`,
  revoked: (who, name, tier) => markup`${subscription(who, tier)} for ${bold(name)} was revoked.`,
  other: (who, event, name) =>
    who === null ? markup`${bold(name)}: ${event}.` : markup`${bold(name)}: ${event}, by ${who}.`,
  credits: (credits, grouped) => markup`+${credited(credits, grouped)}`,
  noCredits: markup`No credits this time.`,
  balance: (credits, grouped) => markup`Balance: ${credited(credits, grouped)}`,
  because: (reason) => markup`The service says: ${reason}`,
  reasons: {
    within_cooldown: markup`It came too soon after the last vote to count again.`,
    order_revoked: markup`The purchase was revoked before.`,
    'denied by the service': markup`The service did not accept it for credits.`,
  },
  nextVote: (when) => markup`Can vote again ${when}.`,
};

const again = (retry: Markup | null) =>
  retry === null ? markup`Please try again in a little while.` : markup`Please try again ${retry}.`;
const ownerCanHelp = markup`Trying again will not help; the people who run this bot have to set it right.`;

const failure: FailureTexts = {
  title: markup`That did not work`,
  lookup: {
    lookup_wrong_key_type: () => markup`The bot is not set up for this listing. ${ownerCanHelp}`,
    lookup_bad_parameter: () => markup`The listing service does not know what to do with this question.`,
    lookup_bad_request: () => markup`The listing service does not accept this request. ${ownerCanHelp}`,
    lookup_key_refused: () => markup`The listing service does not let the bot in. ${ownerCanHelp}`,
    lookup_not_found: () => markup`The listing service knows nothing about this.`,
    lookup_rate_limited: (retry) => markup`The listing service asks for a pause. ${again(retry)}`,
    lookup_over_budget: (retry) => markup`A lot of people are asking just now. ${again(retry)}`,
    lookup_uncounted: (retry) =>
      markup`The bot has a problem of its own just now and cannot ask the listing service. ${again(retry)}`,
    lookup_service_error: (retry) => markup`The listing service has a problem of its own. ${again(retry)}`,
    lookup_unreachable: (retry) => markup`The listing service cannot be reached. ${again(retry)}`,
    lookup_timeout: (retry) => markup`The listing service takes too long to answer. ${again(retry)}`,
    lookup_not_json: (retry) => markup`The listing service gave an answer that makes no sense. ${again(retry)}`,
    lookup_wrong_shape: (retry) =>
      markup`The listing service gave an answer that the bot does not understand. ${again(retry)}`,
    lookup_unexpected_status: (retry) =>
      markup`The listing service gave an answer that nobody expected. ${again(retry)}`,
  },
  incident: (incident) =>
    markup`Something broke, and it is not your fault. If it happens again, tell the people who run this bot the word ${bold(incident)}.`,
  tooLate: (retry) => markup`This took too long. ${again(retry)}`,
  unknownCommand: markup`The bot does not offer this command any more. Discord may take a moment to forget it.`,
  unknownButton: markup`This button has no use any more. Please use the command again.`,
};

/** English. */
export const en: Texts = { listing, canVote, reviews, stats, announcement, failure };
