import { lazily } from '../platform/memoize.ts';
import { announcementTexts, votePanelTexts } from './announcement.ts';
import { catalogues } from './catalogues.ts';
import { awardTexts, claimTexts, remindTexts, traceTexts } from './commands.ts';
import { departureTexts } from './departure.ts';
import { failureTexts } from './failure.ts';
import { createLanguage } from './language.ts';
import { type Locale, localeFor, locales } from './locale.ts';
import { canVoteTexts, listingTexts, reviewTexts, votePictureTexts } from './lookups.ts';
import type { Markup } from './markup.ts';
import { readOverrides, type TextOverrides, withOverrides } from './overrides.ts';
import { partTexts } from './parts.ts';
import { setupTexts } from './setup.ts';
import { shopTexts } from './shop.ts';
import { creditTexts, leaderboardTexts } from './standings.ts';

/**
 * All texts that members see, in one language. Texts that Discord renders are {@link Markup} and accept only Markup, so
 * external text is escaped before it gets here. Plain strings are for places without markup (the command picker,
 * buttons, footers).
 */
function createTexts(locale: Locale) {
  const messages = withOverrides(catalogues[locale], overrides.get(locale));
  const language = createLanguage(locale);
  const { number, duration, days, texts, text, count } = language;
  const parts = partTexts(messages.parts, language);
  // What a process never says is never created: most languages are only used to register the commands.
  const groups = lazily({
    listing: () => listingTexts(messages.listing, language),
    canVote: () => canVoteTexts(messages.canVote, language),
    reviews: () => reviewTexts(messages.reviews, language, parts),
    stats: () => texts(messages.stats),
    votePicture: () => votePictureTexts(messages.votePicture, language),
    remind: () => remindTexts(messages.remind, language),
    credits: () => creditTexts(messages.credits, language, parts),
    leaderboard: () => leaderboardTexts(messages.leaderboard, language, parts),
    shop: () => shopTexts(messages.shop, language, parts),
    claim: () => claimTexts(messages.claim, language, parts),
    privacy: () => texts(messages.privacy),
    help: () => texts(messages.help),
    award: () => awardTexts(messages.award, language, parts),
    trace: () => traceTexts(messages.trace, language, parts),
    announcement: () => announcementTexts(messages.announcement, language, parts),
    votePanel: () => votePanelTexts(messages.votePanel, language, parts),
    /** Messages in the owner's channel. */
    ownerReport: () => ({
      roleFailed: {
        title: text(messages.ownerReport.roleTitle),
        give: (role: Markup, user: Markup) => text(messages.ownerReport.give, { role, user }),
        take: (role: Markup, user: Markup) => text(messages.ownerReport.take, { role, user }),
        memberLeft: text(messages.ownerReport.memberLeft),
        once: text(messages.ownerReport.once),
      },
    }),
    departure: () => departureTexts(messages.departure, language),
    setup: () => setupTexts(messages.setup, language, parts),
    failure: () => failureTexts(messages.failure, language),
  });
  return Object.assign(groups, {
    locale,
    number,
    list: language.list,
    duration,
    days,
    parts,
    text,
    count,
    signed: language.signed,
    /** The catalogue, for texts that only fill in a message: `texts.text(texts.messages.thanks.next, { votes })`. */
    messages,
    console: messages.console,
    webPage: messages.webPage,
    /** The reasons in the server's audit log for changes of a member's roles. */
    role: messages.role,
  });
}

export type Texts = ReturnType<typeof createTexts>;

const textsByLocale = new Map<string, Texts>();
let overrides: ReturnType<typeof readOverrides> = new Map();

/**
 * Replaces texts, in the whole process; without arguments, ends that. Texts that were created before stay as they are.
 * @throws TallyhookError `text_invalid`; then nothing is replaced
 */
export function overrideTexts(own: TextOverrides = {}): void {
  overrides = readOverrides(own);
  textsByLocale.clear();
}

/** The texts in a language; the same object each time. */
export function textsIn(locale: Locale): Texts {
  let texts = textsByLocale.get(locale);
  if (texts === undefined) {
    texts = createTexts(locale);
    textsByLocale.set(locale, texts);
  }
  return texts;
}

/** The texts in every language, to recognise messages that were sent in another one. */
export function textsInAll(): readonly Texts[] {
  return locales.map(textsIn);
}

/** The texts in the first of the preferred languages that there are texts in; see {@link localeFor}. */
export function textsFor(...preferred: readonly (string | null | undefined)[]): Texts {
  // Nearly always, the first one is known.
  return textsByLocale.get(preferred[0] ?? '') ?? textsIn(localeFor(...preferred));
}
