import { Router } from 'express';
import { HttpError } from '../../../platform/web/http-error.ts';
import { issueOwnersKey, maxKeys } from '../../actions/issue-key.ts';
import { findKey, revokeKey } from '../../storage/listings/keys.ts';
import type { PageDependencies } from '../dependencies.ts';
import { readRowId } from '../find-page-listing.ts';
import { keyForm, readForm } from '../forms.ts';
import { pageNotFound, renderServicePage } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';
import { revokePage } from './dashboard-page.ts';
import { dashboardFrame } from './tabs.ts';

/** The forms of API keys: create, revoke. */
export function keyRoutes({ sending }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  router.post('/dashboard/:id/keys', async (request, response) => {
    const owned = await dashboard.requireOwnerForm(request, 'edit');
    const { label } = readForm(keyForm, request.body);
    const issued = await issueOwnersKey(database, owned.listing, label, clock.now());
    if (issued === 'not-owner') throw pageNotFound();
    if (issued === 'too-many') throw new HttpError(409, `A listing can have ${maxKeys} keys. Revoke one first.`);
    await dashboard.render(request, response, owned, { name: `API key "${label}"`, secret: issued.key });
  });

  router.get('/dashboard/:id/keys/:keyId/revoke', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned === null) return;
    const { listing, visitor } = owned;
    const key = await findKey(database, listing.id, readRowId(request.params.keyId));
    if (key === null) throw pageNotFound();
    const body = dashboardFrame(listing, '', 'Revoke key', revokePage(listing, visitor, key, clock.now()));
    renderServicePage(request, response, { title: 'Revoke key', visitor, body });
  });

  router.post('/dashboard/:id/keys/:keyId/revoke', async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    if (!(await revokeKey(database, listing.id, readRowId(request.params.keyId), clock.now()))) throw pageNotFound();
    response.redirect(303, `/dashboard/${listing.id}?notice=revoked#advanced`);
  });

  return router;
}
