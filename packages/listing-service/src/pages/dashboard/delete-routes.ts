import { normalizeLine } from '@tallyhook/platform/truncate';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { z } from 'zod';
import { startListingDeletion } from '../../storage/listings/delete-listing.ts';
import { exportedLists, exportedProfile } from '../../storage/listings/export-listing.ts';
import { PageError } from '../../texts/page-error.ts';
import { readForm } from '../forms.ts';
import { isolated } from '../listing-parts.ts';
import { type OwnerCall, type PageDependencies, pageNotFound } from '../page-routes.ts';
import { sendExport } from '../send-export.ts';
import { type Dashboard, requireOwner } from './dashboard.ts';

const deleteForm = z.object({ name: z.string().max(1_000).transform(normalizeLine) });

export function addDeleteRoutes(dashboard: Dashboard, { database, admission }: PageDependencies): void {
  dashboard.page('/delete', ({ text }) => text('dashboard.tabs.delete'), deletePage);

  dashboard.page(
    '/export',
    ({ text }) => text('yourData.export'),
    async ({ request, response, listing, visitor }) => {
      const { id, kind } = listing;
      await admission.count(request, 'data', visitor.userId);
      await sendExport(response, {
        name: `${kind}-${id}.json`,
        values: await exportedProfile(database, listing),
        lists: exportedLists(database, id),
      });
      return null;
    },
  );

  dashboard.form('/delete', null, async (call) => {
    requireOwner(call);
    const { request, response, listing, now } = call;
    const { name } = readForm(deleteForm, request.body);
    if (name !== normalizeLine(listing.name)) {
      throw new PageError(400, ({ text }) => text('errors.differentName', { name: listing.name }));
    }
    if (!(await startListingDeletion(database, listing.id, now))) throw pageNotFound();
    response.redirect(303, '/dashboard?notice=deleted');
    return null;
  });
}

function deletePage({ listing, role, visitor, texts: { fill, text } }: OwnerCall): Html {
  const path = `/dashboard/${listing.id}`;
  return html`<section class="card" aria-labelledby="export"><h2 id="export">${text('yourData.export')}</h2>
<p>${text('deletion.exportHint')}</p>
<p><a class="button second" href="${path}/export" download>${text('yourData.download')}</a></p></section>
${
  role === 'owner' &&
  html`<section class="card danger-zone" aria-labelledby="delete"><h2 id="delete">${text(`deletion.title.${listing.kind}`)}</h2>
<p>${text(`deletion.hint.${listing.kind}`)}</p>
<form class="stack" method="post" action="${path}/delete">${formTokenField(visitor)}
  <label>${fill('deletion.typeName', { name: isolated(listing.name) })} <input name="name" required maxlength="100" autocomplete="off"></label>
  <button class="danger-solid">${text(`deletion.submit.${listing.kind}`)}</button></form></section>`
}`;
}
