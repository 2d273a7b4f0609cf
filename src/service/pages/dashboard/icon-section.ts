import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { listingIcon } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';

/** The forms to upload and to remove the icon. */
export function iconSection(listing: StoredListing, visitor: Visitor): Html {
  const path = `/dashboard/${listing.id}/icon`;
  const token = formTokenField(visitor);
  return html`<section class="card" aria-labelledby="icon"><h2 id="icon">Icon</h2>
<div class="icon-form">${listingIcon(listing, 'large')}
  <div><form class="stack" method="post" action="${path}" enctype="multipart/form-data">${token}
    <label>Picture <input type="file" name="icon" required accept="image/png,image/jpeg,image/webp,image/gif">
      <span class="hint">PNG, JPEG, WebP or GIF, up to 256 KB and 1024 × 1024 pixels.</span></label>
    <button>Upload</button>
  </form>
  ${listing.iconVersion !== null && html`<form class="line" method="post" action="${path}/remove">${token}<button class="plain danger">Remove icon</button></form>`}</div>
</div></section>`;
}
