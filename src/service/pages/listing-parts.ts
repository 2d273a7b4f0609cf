import { type Html, html } from '../../platform/web/html.ts';
import type { Listing } from '../listing/listing.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import type { ServiceTexts } from '../texts/texts.ts';

/** Foreign text, whose direction of writing must not change that of the texts around it. */
export function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** The path of a listing's icon, which changes with the icon, so that browsers may keep it. */
export function iconPath({ id, iconVersion }: Pick<StoredListing, 'id' | 'iconVersion'>): string {
  return `/listings/${id}/icon?v=${iconVersion}`;
}

/** The icon of a listing, or the first character (grapheme) of its name. */
export function listingIcon(
  listing: Pick<StoredListing, 'id' | 'name' | 'iconVersion'>,
  size: 'large' | 'small',
): Html {
  if (listing.iconVersion !== null) {
    return html`<img class="badge ${size}" src="${iconPath(listing)}" alt="" loading="lazy">`;
  }
  const [first] = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(listing.name.slice(0, 40));
  const tint = Number(BigInt.asUintN(64, BigInt(/^\d{1,20}$/.test(listing.id) ? listing.id : 0)) % 6n);
  return html`<span class="badge ${size} tint-${tint}" aria-hidden="true">${first?.segment ?? '?'}</span>`;
}

/** `Server` or `Bot`, and how often it was voted for. */
export function kindAndVotes({ kind }: Pick<Listing, 'kind'>, monthlyVotes: number, texts: ServiceTexts): Html {
  const votes = texts.plainCount(texts.counts.votesThisMonth, monthlyVotes);
  return html`<p class="quiet">${texts.listing.kinds[kind]} · ${votes}</p>`;
}

/** The name of a category; as it is stored, if an operator has chosen another one. */
export function categoryName(category: string, { listing: { categories } }: ServiceTexts): string {
  return new Map(Object.entries(categories)).get(category) ?? category;
}

/** A number with its name, in a list of figures. */
export function figure(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Links to the pages before and after this one; null if it is the only one. */
export function pageLinks(
  page: number,
  hasMore: boolean,
  pathOf: (page: number) => string,
  { frame, plain, number }: ServiceTexts,
): Html | null {
  if (page === 1 && !hasMore) return null;
  return html`<nav class="pages" aria-label="${frame.pages}">
  ${page > 1 && html`<a class="button second" rel="prev" href="${pathOf(page - 1)}">${frame.previous}</a>`}
  <span class="quiet">${plain(frame.page, { number: number(page) })}</span>
  ${hasMore && html`<a class="button second" rel="next" href="${pathOf(page + 1)}">${frame.next}</a>`}</nav>`;
}

/** Tags with links to the listings that have them. */
export function tagLinks(tags: readonly string[], { listing }: ServiceTexts): Html | null {
  if (tags.length === 0) return null;
  return html`<ul class="tags" aria-label="${listing.tags}">${tags.map(
    (tag) => html`<li><a dir="auto" href="/?tag=${encodeURIComponent(tag.toWellFormed())}">${tag}</a></li>`,
  )}</ul>`;
}

/** Tells the owner why nobody else sees a listing; null if it is published. */
export function stateNotice({ state, stateReason, kind }: StoredListing, { listing, fill }: ServiceTexts): Html | null {
  if (state === 'published') return null;
  return html`<div class="notice ${state === 'pending' ? 'plain' : 'bad'}"><p>${listing[state][kind]}</p>
  ${state === 'hidden' && stateReason && html`<p>${fill(listing.reason, { reason: isolated(stateReason) })}</p>`}</div>`;
}
