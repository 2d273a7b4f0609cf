import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { Listing } from '../../listing/listing.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';

/** The export, and the deletion of a listing, which needs its name. */
export function deletePage(listing: Listing, visitor: Visitor): Html {
  const path = `/dashboard/${listing.id}`;
  return html`<section class="card" aria-labelledby="export"><h2 id="export">Export</h2>
<p>One JSON file with the profile, the names of the keys, the URLs of the webhooks, and all votes, reviews, purchases and deliveries. It contains no secrets.</p>
<p><a class="button second" href="${path}/export" download>Download export</a></p></section>
<section class="card danger-zone" aria-labelledby="delete"><h2 id="delete">Delete this ${listing.kind}</h2>
<p>The page disappears and the keys stop working at once. All votes, reviews, purchases, keys, webhooks and deliveries are deleted within minutes. This cannot be undone. Afterwards, the ${listing.kind} can be listed again.</p>
<form class="stack" method="post" action="${path}/delete">${formTokenField(visitor)}
  <label>Type the name to confirm: ${isolated(listing.name)} <input name="name" required maxlength="100" autocomplete="off"></label>
  <button class="danger-solid">Delete ${listing.kind}</button></form></section>`;
}
