import type { CachedValue } from '../src/lookup/lookup.ts';
import { type Review, type ReviewSort, type Reviews, reviewSorts } from '../src/lookup/schemas.ts';
import { escapeName, escapeText, grouped, lines, markup, timestamp } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandInput, ListedLookup, Reply, ReplyButton, ReplyField } from './command.ts';
import { staleness } from './freshness.ts';
import { chosenListing, listingOption } from './listing.ts';
import { choice, wholeNumber } from './option.ts';
import { stars } from './stars.ts';

const perPage = 5;
/** Five of these with all that surrounds them stay below the 6,000 characters of an embed. */
const longestComment = 950;
const longestName = 80;

/** What people say of a server (document, section 2.5). One request to the service serves every page. */
export const reviews = {
  name: 'reviews',
  visibility: 'public',
  hasPages: true,
  isServedBy: (listings) => reviewed(listings).length > 0,
  describe: ({ listings, texts }) => ({
    description: texts.reviews.description,
    options: [
      {
        type: 'string',
        name: 'sort',
        description: texts.reviews.sortOption,
        choices: reviewSorts.map((sort) => ({ name: texts.reviews.sorts[sort], value: sort })),
      },
      { type: 'integer', name: 'limit', description: texts.reviews.limitOption, min: 1, max: 50 },
      ...(reviewed(listings).length > 1 ? [listingOption(reviewed(listings), texts)] : []),
    ],
  }),
  async execute(asked, { listings, texts }) {
    const listed = chosenListing(asked, reviewed(listings));
    const query = {
      sort: choice(asked, 'sort', reviewSorts, 'newest'),
      limit: wholeNumber(asked, 'limit', { min: 1, max: 50, fallback: 10 }),
    };
    const known = await listed.lookup.reviews(query);
    return known.value.reviews.length === 0 ? nothing(known, texts) : page(known, asked, query, texts);
  },
} as const satisfies Command;

/** Only a server has reviews (document, section 4). */
function reviewed(listings: readonly ListedLookup[]): readonly ListedLookup[] {
  return listings.filter(({ lookup }) => lookup.kind === 'server');
}

function nothing(known: CachedValue<Reviews>, texts: Texts): Reply {
  return { tone: 'plain', title: texts.reviews.title, text: lines(texts.reviews.none, staleness(known, texts)) };
}

function page(
  known: CachedValue<Reviews>,
  asked: CommandInput,
  query: { sort: ReviewSort; limit: number },
  texts: Texts,
): Reply {
  const { reviews: all, total } = known.value;
  const shown = all.slice(0, query.limit);
  const pages = Math.ceil(shown.length / perPage);
  const number = wholeNumber(asked, 'page', { min: 1, max: pages, fallback: 1 });
  const place = pages === 1 ? null : { number: grouped(number), of: grouped(pages) };
  const stale = staleness(known, texts);
  return {
    tone: 'plain',
    title: texts.reviews.title,
    ...(stale === null ? {} : { text: stale }),
    fields: shown.slice((number - 1) * perPage, number * perPage).map((review) => field(review, texts)),
    footer: texts.reviews.count(grouped(shown.length), grouped(total), place),
    buttons: pageButtons(asked, query, { number, pages }, texts),
  };
}

function field({ username, rating, comment, createdAt }: Review, texts: Texts): ReplyField {
  const author = escapeName(username ?? '', longestName) || texts.reviews.nobody;
  const words = escapeText(comment, longestComment) || texts.reviews.wordless;
  const date = createdAt === null ? null : timestamp(createdAt, 'D');
  return {
    name: markup`${rating === null ? texts.reviews.unrated : stars(rating)} · ${author}`,
    value: lines(words, date),
  };
}

function pageButtons(
  asked: CommandInput,
  query: { sort: ReviewSort; limit: number },
  place: { number: number; pages: number },
  texts: Texts,
): ReplyButton[] {
  const { listing } = asked.options;
  const to = (label: string, page: number): ReplyButton => ({
    kind: 'page',
    label,
    disabled: page < 1 || page > place.pages,
    options: { ...query, ...(listing === undefined ? {} : { listing }), page },
  });
  return [to(texts.reviews.previous, place.number - 1), to(texts.reviews.next, place.number + 1)];
}
