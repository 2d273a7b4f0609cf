import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { bold, type Markup, markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** `user` is null if the event has no user, `tier` if it names none. */
export function announcementTexts(messages: Catalogue['announcement'], language: Language, parts: PartTexts) {
  const { text, texts, count, number } = language;
  const fixed = texts(messages);
  const { someone, premium, reasons } = fixed;
  const ofTier = (name: Markup, tier: Markup | null) => ({
    name,
    tier: tier === null ? premium : bold(tier),
  });
  /** Our own reasons for a denial, by the reason of the announcement. */
  const explanations: Readonly<Record<string, Markup>> = {
    within_cooldown: reasons.within_cooldown,
    order_revoked: reasons.order_revoked,
    'denied by the service': reasons.denied,
  };
  return {
    ...fixed,
    list: language.list,
    /** The title of a vote that reaches a milestone of so many votes. */
    milestone: (votes: number) => count(messages.milestone, votes),
    tested: (name: Markup) => text(messages.tested, { name }),
    voted: (user: Markup | null, name: Markup) => text(messages.voted, { user: user ?? someone, name }),
    bought: (user: Markup | null, name: Markup, tier: Markup | null) =>
      text(messages.bought, { user: user ?? someone, ...ofTier(name, tier) }),
    gifted: (user: Markup | null, giver: Markup, name: Markup, tier: Markup | null) =>
      text(messages.gifted, { user: user ?? someone, giver, ...ofTier(name, tier) }),
    renewed: (user: Markup | null, name: Markup, tier: Markup | null) =>
      text(messages.renewed, { user: user ?? someone, ...ofTier(name, tier) }),
    expired: (user: Markup | null, name: Markup, tier: Markup | null) => {
      const values = ofTier(name, tier);
      return user === null ? text(messages.someExpired, values) : text(messages.expired, { ...values, user });
    },
    revoked: (user: Markup | null, name: Markup, tier: Markup | null) => {
      const values = ofTier(name, tier);
      return user === null ? text(messages.someRevoked, values) : text(messages.revoked, { ...values, user });
    },
    event: (user: Markup | null, event: Markup, name: Markup) => {
      const values = { name, event };
      return user === null ? text(messages.event, values) : text(messages.eventBy, { ...values, user });
    },
    credits: (credits: number) => text(messages.credits, { credits: parts.credits(credits) }),
    /** `calculation` is how multipliers raised the credits, such as 10 × 2. */
    multiplied: (credits: Markup, calculation: Markup) => text(messages.multiplied, { credits, calculation }),
    /** `reached` is the number of days or votes that were reached. */
    bonuses: {
      streak: (reached: number, credits: number) =>
        count(messages.bonuses.streak, reached, { credits: number(credits) }),
      milestone: (reached: number, credits: number) =>
        count(messages.bonuses.milestone, reached, { credits: number(credits) }),
      allListings: (_reached: number, credits: number) =>
        text(messages.bonuses.allListings, { credits: number(credits) }),
      unknown: (_reached: number, credits: number) => text(messages.bonuses.unknown, { credits: number(credits) }),
    },
    /** What does not fit: the number of further bonuses with the sum of their credits, and of further roles. */
    moreBonuses: (bonuses: number, credits: number) =>
      count(messages.moreBonuses, bonuses, { credits: number(credits) }),
    moreRoles: (roles: number) => count(messages.moreRoles, roles),
    /** `until` is null for a role that stays. */
    role: (role: Markup, until: Markup | null) =>
      until === null ? role : text(messages.roleUntil, { role, time: until }),
    roles: (roles: Markup) => text(messages.roles, { roles }),
    streak: (days: number) => markup`🔥 ${parts.days(days)}`,
    balance: (credits: number) => text(messages.balance, { credits: parts.credits(credits) }),
    because: (reason: Markup) => text(messages.because, { reason }),
    reasons: explanations,
  };
}

/** The message with which members vote. */
export function votePanelTexts(messages: Catalogue['votePanel'], { locale, text, texts }: Language, parts: PartTexts) {
  return {
    ...texts(messages),
    title: (name: Markup) => text(messages.title, { name }),
    reward: ({ credits, isToday }: { readonly credits: number; readonly isToday: boolean }) =>
      text(isToday ? messages.rewardToday : messages.reward, { credits: parts.credits(credits) }),
    /** The month of a time (ms since the epoch) in a time zone. Plain. */
    month: (at: number, timeZone: string) =>
      new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone }).format(at),
    gone: (channel: Markup) => text(messages.gone, { channel }),
  };
}
