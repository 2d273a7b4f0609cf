import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { timeAgo } from '../../../platform/web/time-element.ts';
import { maxKeys } from '../../actions/issue-key.ts';
import type { Listing } from '../../listing/listing.ts';
import type { StoredKey } from '../../storage/listings/keys.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';

/** The API keys of a listing. The document calls their place "advanced setup" (section 5). */
export function keysSection({
  listing,
  visitor,
  keys,
  now,
}: {
  readonly listing: Listing;
  readonly visitor: Visitor;
  readonly keys: readonly StoredKey[];
  readonly now: number;
}): Html {
  const path = `/dashboard/${listing.id}/keys`;
  return html`<section class="card" aria-labelledby="advanced"><h2 id="advanced">Advanced setup</h2>
<h3>API keys</h3>
<p class="quiet">Keep them secret, on your server. A key gives access to this ${listing.kind} only, with 120 requests per minute.</p>
${
  keys.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>Name</th><th>Key</th><th>Created</th><th>Last used</th><td></td></tr></thead>
<tbody>${keys.map(
    (
      key,
    ) => html`<tr><td class="wrap">${isolated(key.label)}</td><td><code>…${key.hint}</code></td><td>${timeAgo(key.createdAt, now)}</td>
  <td>${key.lastUsedAt === null ? html`<span class="quiet">never</span>` : timeAgo(key.lastUsedAt, now)}</td>
  <td><a class="danger" href="${path}/${key.id}/revoke" aria-label="Revoke ${key.label}">Revoke</a></td></tr>`,
  )}</tbody></table></div>`
}
${
  keys.length >= maxKeys
    ? html`<p class="quiet">You have ${keys.length} keys. Revoke one to create another.</p>`
    : html`<form class="line" method="post" action="${path}#advanced">${formTokenField(visitor)}
  <label>Name <input name="label" required maxlength="60" value="Key"></label> <button>Create API key</button>
</form>`
}</section>`;
}

/** The confirmation before a key is revoked. */
export function revokePage(listing: Listing, visitor: Visitor, key: StoredKey, now: number): Html {
  return html`<section class="card" aria-labelledby="revoke"><h2 id="revoke">Revoke the key “${isolated(key.label)}”?</h2>
<p>It ends in <code>…${key.hint}</code>, and was ${key.lastUsedAt === null ? 'never used' : html`last used ${timeAgo(key.lastUsedAt, now)}`}. Programs that use it get 401 at once. This cannot be undone.</p>
<form class="line" method="post" action="/dashboard/${listing.id}/keys/${key.id}/revoke">${formTokenField(visitor)}
  <button class="danger-solid">Revoke key</button> <a href="/dashboard/${listing.id}#advanced">Cancel</a></form></section>`;
}
