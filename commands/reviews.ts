import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { CachedValue } from '../src/lookup/lookup.ts';
import { type Review, type ReviewSort, type Reviews, reviewSorts } from '../src/lookup/schemas.ts';
import { memoizeByIdentity } from '../src/platform/memoize.ts';
import { escapeName, escapeText, lines, type Markup, markup, repeated, timestamp } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandInput, ListedLookup } from './command.ts';
import { choiceOption, integerOption } from './command.ts';
import { listingOption, selectedListing, staleNote } from './listing.ts';
import type { Reply, ReplyButton, ReplyField } from './reply.ts';

const pageSize = 5;
const maxReviews = 50;
const defaultReviews = 10;
/** Characters; with these limits a page stays below the 6,000 characters of an embed. */
const maxCommentLength = 950;
const maxNameLength = 80;

/** The reviews of a server (document, section 2.5). One request to the service serves every page. */
export const reviews = {
  name: 'reviews',
  visibility: 'public',
  hasPages: true,
  isServedBy: (listings) => serversOf(listings).length > 0,
  describe: ({ listings, texts }) => ({
    description: texts.reviews.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'sort',
        description: texts.reviews.sortOption,
        choices: reviewSorts.map((sort) => ({ name: texts.reviews.sorts[sort], value: sort })),
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'limit',
        description: texts.reviews.limitOption,
        min_value: 1,
        max_value: maxReviews,
      },
      ...(serversOf(listings).length > 1 ? [listingOption(serversOf(listings), texts)] : []),
    ],
  }),
  async execute(input, { listings, texts }) {
    const { lookup } = selectedListing(input, serversOf(listings));
    const query = {
      sort: choiceOption(input, 'sort', reviewSorts, 'newest'),
      limit: integerOption(input, 'limit', { min: 1, max: maxReviews, fallback: defaultReviews }),
    };
    const result = await lookup.reviews(query);
    return result.value.reviews.length === 0 ? renderEmpty(result, texts) : renderPage(result, input, query, texts);
  },
} as const satisfies Command;

/** Only servers have reviews (document, section 4). */
function serversOf(listings: readonly ListedLookup[]): readonly ListedLookup[] {
  return listings.filter(({ lookup }) => lookup.kind === 'server');
}

function renderEmpty(result: CachedValue<Reviews>, texts: Texts): Reply {
  return { tone: 'plain', title: texts.reviews.title, text: lines(texts.reviews.none, staleNote(result, texts)) };
}

function renderPage(
  result: CachedValue<Reviews>,
  input: CommandInput,
  query: { sort: ReviewSort; limit: number },
  texts: Texts,
): Reply {
  const { reviews: all, total } = result.value;
  const shown = all.slice(0, query.limit);
  const pages = Math.ceil(shown.length / pageSize);
  const number = integerOption(input, 'page', { min: 1, max: pages, fallback: 1 });
  const page = pages === 1 ? null : { number, of: pages };
  const stale = staleNote(result, texts);
  return {
    tone: 'plain',
    title: texts.reviews.title,
    ...(stale === null ? {} : { text: stale }),
    fields: shown.slice((number - 1) * pageSize, number * pageSize).map((review) => renderReview(review, texts)),
    footer: texts.reviews.count(shown.length, total, page),
    buttons: pageButtons(input, query, { number, pages }, texts),
  };
}

/** The cache returns the same objects to all commands until they expire, so that each is rendered once. */
const renderReview = memoizeByIdentity(({ username, rating, comment, createdAt }: Review, texts: Texts): ReplyField => {
  const author = escapeName(username ?? '', maxNameLength) || texts.reviews.anonymous;
  const text = escapeText(comment, maxCommentLength) || texts.reviews.noComment;
  const date = createdAt === null ? null : timestamp(createdAt, 'D');
  return {
    name: markup`${rating === null ? texts.reviews.noRating : stars(rating, texts)} · ${author}`,
    value: lines(text, date),
  };
});

const fullStar = markup`★`;
const emptyStar = markup`☆`;

/**
 * A rating as stars. The document does not describe its range, so a rating that five stars cannot show exactly is also
 * a number.
 */
export function stars(rating: number, { number }: Pick<Texts, 'number'>): Markup {
  if (rating < 0 || rating > 5) return markup`${fullStar} ${number(rating)}`;
  const full = Math.round(rating);
  const row = markup`${repeated(fullStar, full)}${repeated(emptyStar, 5 - full)}`;
  return Number.isInteger(rating) ? row : markup`${row} ${number(rating)}`;
}

function pageButtons(
  input: CommandInput,
  query: { sort: ReviewSort; limit: number },
  { number, pages }: { number: number; pages: number },
  texts: Texts,
): ReplyButton[] {
  const { listing } = input.options;
  const button = (label: string, page: number): ReplyButton => ({
    kind: 'page',
    label,
    disabled: page < 1 || page > pages,
    options: { ...query, ...(listing === undefined ? {} : { listing }), page },
  });
  return [button(texts.reviews.previous, number - 1), button(texts.reviews.next, number + 1)];
}
