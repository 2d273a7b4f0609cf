import { Router } from 'express';
import { z } from 'zod';
import { normalizeLine } from '../../../platform/normalize-text.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import { startListingDeletion } from '../../storage/listings/delete-listing.ts';
import { exportedLists, exportedProfile } from '../../storage/listings/export-listing.ts';
import type { PageDependencies } from '../dependencies.ts';
import { readForm } from '../forms.ts';
import { pageNotFound, renderServicePage } from '../render-page.ts';
import { sendExport } from '../send-export.ts';
import type { Dashboard } from './dashboard.ts';
import { deletePage } from './delete-page.ts';
import { dashboardFrame } from './tabs.ts';

const deleteForm = z.object({ name: z.string().max(1_000).transform(normalizeLine) });

/** Export and deletion of a listing. */
export function deleteRoutes({ sending, admission }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  router.get('/dashboard/:id/delete', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned === null) return;
    const { listing, visitor } = owned;
    const body = dashboardFrame(listing, '/delete', 'Export and delete', deletePage(listing, visitor));
    renderServicePage(request, response, { title: 'Export and delete', visitor, body });
  });

  router.get('/dashboard/:id/export', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned === null) return;
    const { id, kind } = owned.listing;
    await admission.count(request, 'data', owned.visitor.userId);
    await sendExport(response, {
      name: `${kind}-${id}.json`,
      values: await exportedProfile(database, owned.listing),
      lists: Object.fromEntries(Object.entries(exportedLists).map(([name, read]) => [name, read(database, id)])),
    });
  });

  router.post('/dashboard/:id/delete', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    const { name } = readForm(deleteForm, request.body);
    if (name !== normalizeLine(listing.name)) {
      throw new HttpError(400, `The name is different, so nothing was deleted. Type "${listing.name}".`);
    }
    if (!(await startListingDeletion(database, listing.id, clock.now()))) throw pageNotFound();
    response.redirect(303, '/dashboard?notice=deleted');
  });

  return router;
}
