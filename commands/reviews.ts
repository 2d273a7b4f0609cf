import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import { escapeName, escapeText, lines, markup, timestamp } from '@tallyhook/platform/texts/markup';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import {
  type CommandInput,
  choiceOption,
  integerOption,
  type ListedLookup,
  pageButtons,
} from '../src/discord/commands/command.ts';
import type { OptionValue, Reply, ReplyField, ReplySelect } from '../src/discord/commands/reply.ts';
import { maxStars, renderStars, starsOf } from '../src/features/reviews/parts.ts';
import { type CachedValue, type Review, type ReviewSort, type Reviews, reviewSorts } from '../src/lookup/lookup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';
import { choiceOf, completeListing, listingOption, selectedListing, staleNote } from './listing.ts';

const pageSize = 5;
const maxReviews = 50;
const defaultReviews = 10;
/** Characters; with these limits a page stays below the 6,000 characters of an embed. */
const maxCommentLength = 950;
const maxNameLength = 80;

interface Query {
  readonly sort: ReviewSort;
  readonly limit: number;
  /** Only reviews with this many stars; 0 for all. */
  readonly stars: number;
  /** The selected listing, as the value of its option; null for the default. */
  readonly listing: string | null;
  /** Counted from 1. There may be fewer pages than when the button was shown. */
  readonly page: number;
}

/** Replies about the reviews of one request to the service that are in memory. */
const maxReplies = 50;

/** A server's reviews (section 2.5). One request, of at most 50 that it cannot filter, serves all pages and filters. */
export const reviews = {
  name: 'reviews',
  visibility: 'public',
  hasPages: true,
  actions: ['stars'],
  availability: 'everywhere',
  isServedBy: (listings) => serversOf(listings).length > 0,
  describe: ({ listings, isShared, texts }) => ({
    description: texts.text('reviews.description'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'sort',
        description: texts.text('reviews.sortOption'),
        choices: reviewSorts.map((sort) => ({ name: texts.text(`reviews.sorts.${sort}`), value: sort })),
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'stars',
        description: texts.text('reviews.starsOption'),
        min_value: 1,
        max_value: maxStars,
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'limit',
        description: texts.text('reviews.limitOption'),
        min_value: 1,
        max_value: maxReviews,
      },
      ...(isShared || serversOf(listings).length > 1
        ? [listingOption({ listings: serversOf(listings), isShared, texts })]
        : []),
    ],
  }),
  autocomplete: (input, { listings, texts }) => completeListing(input, { listings: serversOf(listings), texts }),
  async execute(input, { listings, isShared, texts }) {
    const servers = serversOf(listings);
    const selected = selectedListing(input, { listings: servers, isShared, texts });
    const query = {
      sort: choiceOption(input, 'sort', reviewSorts, 'newest'),
      limit: integerOption(input, 'limit', { min: 1, max: maxReviews, fallback: defaultReviews }),
      stars: selectedStars(input),
      listing: input.options['listing'] === undefined ? null : choiceOf(selected, servers),
      page: integerOption(input, 'page', { min: 1, max: maxReviews, fallback: 1 }),
    };
    const result = await selected.lookup.reviews({ sort: query.sort, limit: maxReviews });
    if (result.stale) return render(result, query, texts);
    const replies = repliesTo(result.value, texts);
    const key = JSON.stringify(query);
    const reply = replies.get(key) ?? render(result, query, texts);
    replies.set(key, reply);
    return reply;
  },
} as const satisfies Command;

/** The listings with reviews: servers alone (document, section 4), and only on the service. */
function serversOf(listings: readonly ListedLookup[]): readonly ListedLookup[] {
  return listings.filter(({ lookup, site, isSilent }) => lookup.kind === 'server' && site === undefined && !isSilent);
}

/** From the select, otherwise from the option or the page button; 0 for all reviews. */
function selectedStars({ action, values, options }: CommandInput): number {
  const value = Number(action === 'stars' ? values[0] : options['stars']);
  return Number.isInteger(value) && value >= 1 && value <= maxStars ? value : 0;
}

/** The cache returns the same reviews to all commands until they expire, so that each page of them is rendered once. */
const repliesTo = memoizeByIdentity((_reviews: Reviews, _texts: Texts) => new BoundedMap<Reply>(maxReplies));

function render(result: CachedValue<Reviews>, query: Query, texts: Texts): Reply {
  return result.value.reviews.length === 0 ? renderEmpty(result, texts) : renderPage(result, query, texts);
}

function renderEmpty(result: CachedValue<Reviews>, texts: Texts): Reply {
  return {
    tone: 'plain',
    title: texts.text('reviews.title'),
    text: lines(texts.text('reviews.none'), staleNote(result, texts)),
  };
}

function renderPage(result: CachedValue<Reviews>, query: Query, texts: Texts): Reply {
  const { reviews: searched, total } = result.value;
  const { sort, limit, stars } = query;
  const matching = stars === 0 ? searched : searched.filter(({ rating }) => starsOf(rating) === stars);
  const shown = matching.slice(0, limit);
  const pages = Math.max(1, Math.ceil(shown.length / pageSize));
  const number = Math.min(query.page, pages);
  const filter = stars === 0 ? {} : { stars };
  const { text } = texts;
  const footer = [
    stars === 0
      ? describeShown({ sort, shown: shown.length, total }, texts)
      : text('reviews.filtered', { count: stars, found: describeFound(searched, { sort, total, matching }, texts) }),
    ...(stars > 0 && shown.length < matching.length ? [text('reviews.shown', { number: shown.length })] : []),
    ...(pages === 1 ? [] : [text('parts.page', { number, of: pages })]),
  ].join(' · ');
  return {
    tone: 'plain',
    title: texts.text('reviews.title'),
    text: lines(shown.length === 0 ? texts.text('reviews.noneMatch') : null, staleNote(result, texts)),
    fields: shown.slice((number - 1) * pageSize, number * pageSize).map((review) => renderReview(review, texts)),
    footer,
    selects: searched.length > pageSize || stars > 0 ? [starsSelect(searched, query, texts)] : [],
    buttons: pages === 1 ? [] : pageButtons('reviews', texts, { number, pages }, { ...stateOf(query), ...filter }),
    response: 'update',
  };
}

/** "Newest 12 of 345" or "12 reviews". */
function describeShown(
  { sort, shown, total }: { readonly sort: ReviewSort; readonly shown: number; readonly total: number },
  { text }: Texts,
): string {
  return shown === total
    ? text('reviews.withStars', { count: total })
    : text(`reviews.first.${sort}`, { shown, count: total });
}

/** "20 of the newest 50 reviews"; if all were searched, without their order. */
function describeFound(
  searched: readonly Review[],
  { sort, total, matching }: Pick<Query, 'sort'> & { readonly total: number; readonly matching: readonly Review[] },
  { text }: Texts,
): string {
  const values = { shown: matching.length, count: searched.length };
  return searched.length < total ? text(`reviews.found.${sort}`, values) : text('reviews.count', values);
}

function renderReview({ username, rating, comment, createdAt }: Review, texts: Texts): ReplyField {
  const author = escapeName(username ?? '', maxNameLength) || texts.text('reviews.anonymous');
  const text = escapeText(comment, maxCommentLength) || texts.text('reviews.noComment');
  const date = createdAt === null ? null : timestamp(createdAt, 'D');
  return {
    name: markup`${rating === null ? texts.text('reviews.noRating') : renderStars(rating, texts)} · ${author}`,
    value: lines(text, date),
  };
}

function starsSelect(searched: readonly Review[], query: Query, texts: Texts): ReplySelect {
  const choices = [5, 4, 3, 2, 1].flatMap((stars) => {
    const count = searched.filter(({ rating }) => starsOf(rating) === stars).length;
    // Stars and a number, without markup.
    const label = String(renderStars(stars, texts));
    const selected = stars === query.stars;
    if (count === 0 && !selected) return [];
    return [{ label, value: String(stars), description: texts.text('reviews.withStars', { count }), selected }];
  });
  return {
    kind: 'choices',
    action: 'stars',
    options: stateOf(query),
    choices: [{ label: texts.text('reviews.anyStars'), value: '0', selected: query.stars === 0 }, ...choices],
  };
}

function stateOf({ sort, limit, listing }: Query): Readonly<Record<string, OptionValue>> {
  return { sort, limit, ...(listing === null ? {} : { listing }) };
}
