import type { ReviewSort } from '../lookup/schemas.ts';
import { once } from '../platform/memoize.ts';
import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { bold, type Markup, subtext } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** What commands about a listing share. */
export function listingTexts(messages: Catalogue['listing'], { text, texts, count }: Language) {
  return {
    ...texts(messages),
    /** `typed` is not the name of a listing; `names` are those of some listings, and `more` counts the others. */
    unknown: (typed: Markup, names: Markup, more: number) => {
      const values = { name: bold(typed), names };
      return more === 0 ? text(messages.unknown, values) : count(messages.unknownOfMany, more, values);
    },
    asOf: (time: Markup) => subtext(text(messages.asOf, { time })),
  };
}

/** `user` is null for the member who runs the command. */
export function canVoteTexts(messages: Catalogue['canVote'], { text, texts, plain }: Language) {
  return {
    ...texts(messages),
    /** `name` is that of another listing. */
    voteFor: (name: string) => plain(messages.voteFor, { name }),
    voteOn: (site: string) => plain(messages.voteOn, { site }),
    now: (user: Markup | null, listing: Markup) => {
      const name = listing;
      return user === null ? text(messages.youNow, { name }) : text(messages.memberNow, { user, name });
    },
    perhaps: (user: Markup | null, listing: Markup) => {
      const name = listing;
      return user === null ? text(messages.youPerhaps, { name }) : text(messages.memberPerhaps, { user, name });
    },
    /** `time` is null if the service does not send it. */
    later: (user: Markup | null, listing: Markup, time: Markup | null) => {
      const name = listing;
      if (time === null) {
        return user === null ? text(messages.youRecently, { name }) : text(messages.memberRecently, { user, name });
      }
      return user === null ? text(messages.youLater, { name, time }) : text(messages.memberLater, { user, name, time });
    },
    lastVote: (time: Markup) => text(messages.lastVote, { time }),
  };
}

export interface Page {
  readonly number: number;
  readonly of: number;
}

export interface FilteredReviews {
  readonly stars: number;
  /** The order of the reviews that were searched; null if all were. */
  readonly sort: ReviewSort | null;
  readonly matching: number;
  readonly searched: number;
}

export function reviewTexts(messages: Catalogue['reviews'], language: Language, parts: PartTexts) {
  const { texts, plain, plainCount, number } = language;
  const count = (shown: number, total: number) => plainCount(messages.count, total, { shown: number(shown) });
  const withPage = (line: string, page: Page | null) =>
    page === null ? line : `${line} · ${parts.page(page.number, page.of)}`;
  return {
    ...texts(messages),
    /** "Newest 12 of 345" or "12 reviews", with the page if there are several. */
    first: (sort: ReviewSort, shown: number, total: number, page: Page | null) => {
      const isAll = shown === total;
      const some = { shown: number(shown), count: number(total) };
      return withPage(isAll ? plainCount(messages.withStars, total) : plain(messages.first[sort], some), page);
    },
    /** "With 4 stars: 20 of the newest 50 reviews · 10 shown · page 1 of 2"; `sort` is null if all were searched. */
    filtered: (
      { stars, sort, matching, searched }: FilteredReviews,
      { shown, page }: { readonly shown: number; readonly page: Page | null },
    ) => {
      const found =
        sort === null
          ? count(matching, searched)
          : plainCount(messages.found[sort], searched, { shown: number(matching) });
      const line = plainCount(messages.filtered, stars, { found });
      return withPage(shown < matching ? `${line} · ${plain(messages.shown, { number: number(shown) })}` : line, page);
    },
    /** "12 reviews", of the choice of a rating. */
    found: (reviews: number) => plainCount(messages.withStars, reviews),
  };
}

/** Plain texts: a picture has no markup. */
export function votePictureTexts({ description, ...words }: Catalogue['votePicture'], { locale, plain }: Language) {
  const dates = once(() => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', day: 'numeric' }));
  const numbers = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));
  return {
    words,
    /** The alt text. `first`, `last` and `best` are days: their start in UTC (ms since the epoch). */
    description: (of: Readonly<Record<'first' | 'last' | 'best' | 'total' | 'average' | 'maximum', number>>) =>
      plain(description, {
        first: dates().format(of.first),
        last: dates().format(of.last),
        best: dates().format(of.best),
        total: numbers().format(of.total),
        average: numbers().format(of.average),
        maximum: numbers().format(of.maximum),
      }),
  };
}
