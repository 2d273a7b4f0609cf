import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { categories } from '../../listing/categories.ts';
import type { Listing } from '../../listing/listing.ts';
import type { Visitor } from '../session.ts';

/** The form for what visitors read about a listing. */
export function basicsSection(listing: Listing, visitor: Visitor): Html {
  return html`<section class="card" aria-labelledby="basics"><h2 id="basics">Basics</h2>
<form class="stack" method="post" action="/dashboard/${listing.id}">${formTokenField(visitor)}
  <label>Name <input name="name" required maxlength="100" value="${listing.name}" dir="auto"></label>
  <label>Description <textarea name="description" maxlength="2000" rows="4" dir="auto">${listing.description}</textarea></label>
  <label>Tags <input name="tags" maxlength="500" value="${listing.tags.join(', ')}" dir="auto">
    <span class="hint">Up to 10, separated by commas.</span></label>
  ${listing.kind === 'server' ? serverFields(listing.facts) : botFields(listing.facts)}
  <button>Save</button>
</form></section>`;
}

function serverFields({ category, rules }: { readonly category: string; readonly rules: readonly string[] }): Html {
  const choices = categories.includes(category) ? categories : [category, ...categories];
  return html`<label>Category <select name="category">${choices.map((name) => html`<option${name === category && html` selected`}>${name}</option>`)}</select></label>
  <label>Rules <textarea name="rules" maxlength="4000" rows="5" dir="auto">${rules.join('\n')}</textarea>
    <span class="hint">One per line, up to 25.</span></label>`;
}

function botFields({ servers, shards }: { readonly servers: number; readonly shards: number }): Html {
  return html`<div class="fields"><label>Servers <input type="number" name="servers" min="0" max="100000000" required value="${servers}"></label>
  <label>Shards <input type="number" name="shards" min="1" max="100000" required value="${Math.max(1, shards)}"></label></div>`;
}
