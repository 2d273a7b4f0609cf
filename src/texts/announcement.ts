import { creditCount } from './credit-count.ts';
import { bold, type Markup, markup } from './markup.ts';

const someone = markup`Someone`;
const premium = (tier: Markup | null) => (tier === null ? markup`premium` : bold(tier));
const subscription = (user: Markup | null, tier: Markup | null) => {
  const level = tier === null ? markup`Premium` : bold(tier);
  return user === null ? level : markup`${level} of ${user}`;
};

/** Our own reasons for a denial, by the reason of the announcement. */
const reasons: Readonly<Record<string, Markup>> = {
  within_cooldown: markup`The previous vote was too recent.`,
  order_revoked: markup`The purchase was revoked earlier.`,
  'denied by the service': markup`The service denied the credits.`,
};

/** `user` is null if the event has no user. */
export const announcement = {
  someone,
  /** The button that leads to the listing. */
  voteButton: 'Vote too',
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
  /** `calculation` is how multipliers raised the credits, such as 10 × 2. */
  multiplied: (credits: Markup, calculation: Markup) => markup`${credits} (${calculation})`,
  /** `count` is the number of days or votes that were reached, `grouped` are the credits. */
  bonuses: {
    streak: (count: Markup, grouped: Markup) => markup`${count}-day streak: +${bold(grouped)}`,
    milestone: (count: Markup, grouped: Markup) => markup`${count} votes: +${bold(grouped)}`,
    allListings: (_count: Markup, grouped: Markup) => markup`Every listing today: +${bold(grouped)}`,
    other: (_count: Markup, grouped: Markup) => markup`Bonus: +${bold(grouped)}`,
  },
  /** What does not fit: the number of further bonuses with the sum of their credits, and of further roles. */
  moreBonuses: (count: Markup, grouped: Markup) => markup`${count} more: +${bold(grouped)}`,
  moreRoles: (count: Markup) => markup`${count} more roles`,
  /** `until` is null for a role that stays. */
  role: (role: Markup, until: Markup | null) => (until === null ? role : markup`${role} until ${until}`),
  roles: (roles: Markup) => markup`Received: ${roles}`,
  streak: (days: Markup) => markup`Streak: ${bold(days)} ${days === '1' ? markup`day` : markup`days`}`,
  balance: (credits: number, grouped: Markup) => markup`Balance: ${creditCount(credits, grouped)}`,
  because: (reason: Markup) => markup`Reason given by the service: ${reason}`,
  reasons,
  nextVote: (time: Markup) => markup`Can vote again ${time}.`,
};
