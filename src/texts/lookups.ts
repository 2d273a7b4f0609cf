import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, type Markup, subtext } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** What commands about a listing share. */
export function listingTexts(messages: Catalogue['listing'], { text, texts }: Language) {
  return {
    kinds: messages.kinds,
    option: messages.option,
    /** A listing whose name is unknown at the moment. */
    unnamed: texts(messages.unnamed),
    asOf: (time: Markup) => subtext(text(messages.asOf, { time })),
  };
}

/** `user` is null for the member who runs the command. */
export function canVoteTexts(messages: Catalogue['canVote'], { text }: Language) {
  const { description, userOption, voteButton } = messages;
  return {
    ...{ description, userOption, voteButton },
    titleNow: text(messages.titleNow),
    titleLater: text(messages.titleLater),
    now: (user: Markup | null, listing: Markup) => {
      const name = bold(listing);
      return user === null ? text(messages.youNow, { name }) : text(messages.memberNow, { user, name });
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

export function reviewTexts(messages: Catalogue['reviews'], { text, plainCount, number }: Language, parts: PartTexts) {
  const { description, sortOption, limitOption, sorts, previous, next } = messages;
  return {
    ...{ description, sortOption, limitOption, sorts, previous, next },
    title: text(messages.title),
    none: text(messages.none),
    anonymous: text(messages.anonymous),
    noRating: text(messages.noRating),
    noComment: text(messages.noComment),
    /** "12 of 345 reviews", with the page if there are several. */
    count: (shown: number, total: number, page: { readonly number: number; readonly of: number } | null) => {
      const count = plainCount(messages.count, total, { shown: number(shown) });
      return page === null ? count : `${count} · ${parts.page(page.number, page.of)}`;
    },
  };
}

export function statsTexts({ description, pageButton, ...names }: Catalogue['stats'], { texts }: Language) {
  return { description, pageButton, ...texts(names) };
}
