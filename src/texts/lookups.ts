import type { ReviewSort } from '../lookup/schemas.ts';
import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, type Markup, subtext } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** What commands about a listing share. */
export function listingTexts(messages: Catalogue['listing'], { text, texts, count }: Language) {
  return {
    kinds: messages.kinds,
    option: messages.option,
    /** A listing whose name is unknown at the moment. */
    unnamed: texts(messages.unnamed),
    /** `typed` is not the name of a listing; `names` are those of some listings, and `more` counts the others. */
    unknown: (typed: Markup, names: Markup, more: number) => {
      const values = { name: bold(typed), names };
      return more === 0 ? text(messages.unknown, values) : count(messages.unknownOfMany, more, values);
    },
    severalCommunities: text(messages.severalCommunities),
    asOf: (time: Markup) => subtext(text(messages.asOf, { time })),
  };
}

/** `user` is null for the member who runs the command. */
export function canVoteTexts(messages: Catalogue['canVote'], { text, plain }: Language) {
  const { description, userOption, voteButton } = messages;
  return {
    description,
    userOption,
    voteButton,
    /** `name` is that of another listing. */
    voteFor: (name: string) => plain(messages.voteFor, { name }),
    voteOn: (site: string) => plain(messages.voteOn, { site }),
    titleNow: text(messages.titleNow),
    titleLater: text(messages.titleLater),
    now: (user: Markup | null, listing: Markup) => {
      const name = bold(listing);
      return user === null ? text(messages.youNow, { name }) : text(messages.memberNow, { user, name });
    },
    perhaps: (user: Markup | null, listing: Markup) => {
      const name = bold(listing);
      return user === null ? text(messages.youPerhaps, { name }) : text(messages.memberPerhaps, { user, name });
    },
    /** `time` is null if the service does not send it. */
    later: (user: Markup | null, listing: Markup, time: Markup | null) => {
      const name = bold(listing);
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
  const { text, plain, plainCount, number } = language;
  const { description, sortOption, starsOption, limitOption, sorts, anyStars, previous, next } = messages;
  const count = (shown: number, total: number) => plainCount(messages.count, total, { shown: number(shown) });
  const withPage = (line: string, page: Page | null) =>
    page === null ? line : `${line} · ${parts.page(page.number, page.of)}`;
  return {
    description,
    sortOption,
    starsOption,
    limitOption,
    sorts,
    anyStars,
    previous,
    next,
    title: text(messages.title),
    none: text(messages.none),
    anonymous: text(messages.anonymous),
    noRating: text(messages.noRating),
    noComment: text(messages.noComment),
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
    noneMatch: text(messages.noneMatch),
    /** "12 reviews", of the choice of a rating. */
    found: (reviews: number) => plainCount(messages.withStars, reviews),
  };
}

export function statsTexts({ description, pageButton, chart, ...names }: Catalogue['stats'], { texts }: Language) {
  return { description, pageButton, chart, ...texts(names) };
}
