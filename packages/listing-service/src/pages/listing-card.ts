import { type Html, html } from '@tallyhook/platform/web/html';
import type { DiscordInvites } from '../invites/discord-invites.ts';
import { pagePath } from '../listing/listing.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import type { ListingOrder, RankedListing } from '../storage/listings/search.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { kindAndVotes, listingIcon, tagLinks } from './listing-parts.ts';

export interface CardView {
  readonly texts: ServiceTexts;
  readonly invites: DiscordInvites;
}

/** A listing in a list, with its place. @param order shows the figure by which the list is sorted, too */
export function rankedCard(ranked: RankedListing, order: ListingOrder, view: CardView): Html {
  const { listing, monthlyVotes, rank } = ranked;
  const { texts } = view;
  const place = texts.text(`listing.placeOf.${listing.kind}`, { place: texts.number(rank) });
  const mark = html`<span class="rank" title="${place}"><span aria-hidden="true">#${texts.number(rank)}</span><span class="hidden">${place}</span></span>`;
  return card(listing, { monthlyVotes, mark, sortedBy: sortFigure(ranked, order, texts) }, view);
}

/** A listing beside another one. */
export function relatedCard(listing: StoredListing, monthlyVotes: number, view: CardView): Html {
  return card(listing, { monthlyVotes, mark: null, sortedBy: null }, view);
}

function card(
  listing: StoredListing,
  figures: { readonly monthlyVotes: number; readonly mark: Html | null; readonly sortedBy: string | null },
  view: CardView,
): Html {
  const { texts } = view;
  return html`<li class="card tile">
  <div class="head">${listingIcon(listing, 'small')}
    <div><h3><a class="cover" href="${pagePath(listing)}" dir="auto">${listing.name}</a></h3>
    ${kindAndVotes(listing, figures.monthlyVotes, texts)}
    ${figures.sortedBy && html`<p class="quiet">${figures.sortedBy}</p>`}</div>${figures.mark}</div>
  <p class="clamp" dir="auto">${listing.description}</p>
  ${tagLinks(listing.tags.slice(0, 4), texts)}
  <p class="actions">${joinLink(listing, view)}
  <a class="button second" href="${pagePath(listing)}#vote" aria-label="${texts.text('listing.vote')}: ${listing.name}">${texts.text('listing.vote')}</a></p>
</li>`;
}

/** The button that leads to Discord; null without an invite. */
export function joinLink(listing: StoredListing, { texts, invites }: CardView): Html | null {
  const link = invites.linkOf(listing);
  const text = texts.text(`listing.join.${listing.kind}`);
  return link === null
    ? null
    : html`<a class="button" href="${link}" rel="nofollow noopener" aria-label="${text}: ${listing.name}">${text}</a>`;
}

function sortFigure({ rating, growth }: RankedListing, order: ListingOrder, texts: ServiceTexts): string | null {
  if (order === 'rating') return rating === null ? texts.text('reviews.none') : `★ ${texts.rating(rating)}`;
  if (order !== 'growing') return null;
  return texts.text('listing.growth', { change: `${growth > 0 ? '+' : ''}${texts.number(growth)}` });
}
