import { type Html, html } from '../../platform/web/html.ts';
import type { Listing } from '../listing/listing.ts';
import type { StoredListing } from '../storage/listings/listings.ts';

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

/** `Server` or `Bot`. */
export function kindName({ kind }: Pick<Listing, 'kind'>): string {
  return kind === 'server' ? 'Server' : 'Bot';
}

/** A number with its name, in a list of figures. */
export function figure(name: string, value: number): Html {
  return html`<div><dt>${name}</dt><dd>${value.toLocaleString('en')}</dd></div>`;
}

/** Links to the pages before and after this one; null if it is the only one. */
export function pageLinks(page: number, hasMore: boolean, pathOf: (page: number) => string): Html | null {
  if (page === 1 && !hasMore) return null;
  return html`<nav class="pages" aria-label="Pages">
  ${page > 1 && html`<a class="button second" rel="prev" href="${pathOf(page - 1)}">Previous</a>`}
  <span class="quiet">Page ${page}</span>
  ${hasMore && html`<a class="button second" rel="next" href="${pathOf(page + 1)}">Next</a>`}</nav>`;
}

/** Tags with links to the listings that have them. */
export function tagLinks(tags: readonly string[]): Html | null {
  if (tags.length === 0) return null;
  return html`<ul class="tags" aria-label="Tags">${tags.map(
    (tag) => html`<li><a dir="auto" href="/?tag=${encodeURIComponent(tag.toWellFormed())}">${tag}</a></li>`,
  )}</ul>`;
}

/** Tells the owner why nobody else sees a listing; null if it is published. */
export function stateNotice({ state, stateReason, kind }: StoredListing): Html | null {
  if (state === 'published') return null;
  if (state === 'pending') {
    return html`<div class="notice plain"><p>This ${kind} waits for the approval of the operator. Others do not see it.</p></div>`;
  }
  if (state === 'deleting') return html`<div class="notice bad"><p>This ${kind} is being deleted.</p></div>`;
  return html`<div class="notice bad"><p>The operator has hidden this ${kind}. Others do not see it.</p>
  ${stateReason && html`<p>Reason: ${isolated(stateReason)}</p>`}</div>`;
}
