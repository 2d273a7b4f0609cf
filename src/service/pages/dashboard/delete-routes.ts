import { z } from 'zod';
import { normalizeLine } from '../../../platform/truncate.ts';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import { startListingDeletion } from '../../storage/listings/delete-listing.ts';
import { exportedLists, exportedProfile } from '../../storage/listings/export-listing.ts';
import { readForm } from '../forms.ts';
import { isolated } from '../listing-parts.ts';
import { type PageDependencies, pageNotFound } from '../page-routes.ts';
import { sendExport } from '../send-export.ts';
import type { Dashboard, OwnerCall } from './dashboard.ts';

const deleteForm = z.object({ name: z.string().max(1_000).transform(normalizeLine) });

/** Export and deletion of a listing. */
export function addDeleteRoutes(dashboard: Dashboard, { database, admission }: PageDependencies): void {
  dashboard.page('/delete', { title: 'Export and delete' }, deletePage);

  dashboard.page('/export', { title: 'Export' }, async ({ request, response, listing, visitor }) => {
    const { id, kind } = listing;
    await admission.count(request, 'data', visitor.userId);
    await sendExport(response, {
      name: `${kind}-${id}.json`,
      values: await exportedProfile(database, listing),
      lists: Object.fromEntries(Object.entries(exportedLists).map(([name, read]) => [name, read(database, id)])),
    });
    return null;
  });

  dashboard.form('/delete', null, async ({ request, response, listing, now }) => {
    const { name } = readForm(deleteForm, request.body);
    if (name !== normalizeLine(listing.name)) {
      throw new HttpError(400, `The name is different, so nothing was deleted. Type "${listing.name}".`);
    }
    if (!(await startListingDeletion(database, listing.id, now))) throw pageNotFound();
    response.redirect(303, '/dashboard?notice=deleted');
    return null;
  });
}

/** The export, and the deletion of a listing, which needs its name. */
function deletePage({ listing, visitor }: OwnerCall): Html {
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
