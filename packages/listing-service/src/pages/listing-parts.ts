import { type Html, html } from '@tallyhook/platform/web/html';
import type { Listing } from '../listing/listing.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import { isServiceTextIn, type ServiceTexts } from '../texts/texts.ts';

/** External text, whose direction of writing must not change that of the texts around it. */
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
  return html`<span class="badge ${size} tint-${tintOf(listing.id)}" aria-hidden="true">${initialOf(listing.name)}</span>`;
}

export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name.slice(0, 40));
  return first?.segment ?? '?';
}

/** One of six colours, by the id of a listing. */
export function tintOf(id: string): number {
  return Number(BigInt.asUintN(64, BigInt(/^\d{1,20}$/.test(id) ? id : 0)) % 6n);
}

/** `Server` or `Bot`, and how often it was voted for. */
export function kindAndVotes({ kind }: Pick<Listing, 'kind'>, monthlyVotes: number, texts: ServiceTexts): Html {
  const votes = texts.text('counts.votesThisMonth', { count: monthlyVotes });
  return html`<p class="quiet">${texts.text(`listing.kinds.${kind}`)} · ${votes}</p>`;
}

/** `Server · Gaming, Music`: its categories, or the one of another name that an operator has chosen. */
export function listingLine(listing: StoredListing, { text, list }: ServiceTexts): string {
  const chosen = list(listing.categories.map((category) => text(`listing.categories.${category}`)));
  const others = listing.kind === 'server' && chosen === '' ? listing.facts.category : chosen;
  const known = isServiceTextIn('listing.categories', others) ? text(`listing.categories.${others}`) : others;
  return [text(`listing.kinds.${listing.kind}`), known].filter((part) => part !== '').join(' · ');
}

export function figure(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Links to the pages before and after this one; null if it is the only one. */
export function pageLinks(
  page: number,
  hasMore: boolean,
  pathOf: (page: number) => string,
  { number, text }: ServiceTexts,
): Html | null {
  if (page === 1 && !hasMore) return null;
  return html`<nav class="pages" aria-label="${text('frame.pages')}">
  ${page > 1 && html`<a class="button second" rel="prev" href="${pathOf(page - 1)}">${text('frame.previous')}</a>`}
  <span class="quiet">${text('frame.page', { number: number(page) })}</span>
  ${hasMore && html`<a class="button second" rel="next" href="${pathOf(page + 1)}">${text('frame.next')}</a>`}</nav>`;
}

/** Tags with links to the listings that have them. */
export function tagLinks(tags: readonly string[], { text }: ServiceTexts): Html | null {
  if (tags.length === 0) return null;
  return html`<ul class="tags" aria-label="${text('listing.tags')}">${tags.map(
    (tag) => html`<li><a dir="auto" href="/?tag=${encodeURIComponent(tag.toWellFormed())}">${tag}</a></li>`,
  )}</ul>`;
}

/** Tells the owner why nobody else sees a listing; null if it is published. */
export function stateNotice({ state, stateReason, kind }: StoredListing, { fill, text }: ServiceTexts): Html | null {
  if (state === 'published') return null;
  return html`<div class="notice ${state === 'pending' ? 'plain' : 'bad'}"><p>${text(`listing.${state}.${kind}`)}</p>
  ${state === 'hidden' && stateReason && html`<p>${fill('listing.reason', { reason: isolated(stateReason) })}</p>`}</div>`;
}
