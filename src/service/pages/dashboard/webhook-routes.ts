import { Router } from 'express';
import { TallyhookError } from '../../../platform/errors.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import { configureOwnersWebhook, rotateWebhookSecret } from '../../actions/configure-webhook.ts';
import { testWebhook } from '../../actions/test-webhook.ts';
import { deleteWebhook, findWebhook, pauseForOwner, resumeWebhook } from '../../storage/deliveries/webhooks.ts';
import type { WebhookFamily } from '../../storage/tables.ts';
import type { PageDependencies } from '../dependencies.ts';
import { readForm, webhookForm } from '../forms.ts';
import { pageNotFound } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';

/** The forms of the webhook sections: save, rotate, test, pause, resume, remove. */
export function webhookRoutes({ sending, queued }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock, targets } = sending;
  const router = Router();
  const path = '/dashboard/:id/webhooks/:family';

  router.post(path, async (request, response) => {
    const owned = await dashboard.requireOwnerForm(request, 'edit');
    const key = { listingId: owned.listing.id, family: readFamily(request.params.family) };
    const form = readForm(webhookForm, request.body);
    const existing = await findWebhook(database, key.listingId, key.family);
    const settings = { ...key, ...form, ownerId: owned.visitor.userId };
    const secret = await configureOwnersWebhook(database, settings, targets).catch(rethrowAsHttpError);
    if (secret === null) throw pageNotFound();
    queued();
    if (existing || form.secret !== undefined)
      return response.redirect(303, `/dashboard/${key.listingId}?notice=saved#${key.family}-webhooks`);
    await dashboard.render(request, response, owned, { name: `Secret of the ${key.family} webhooks`, secret });
  });

  router.post(`${path}/rotate`, async (request, response) => {
    const owned = await dashboard.requireOwnerForm(request, 'edit');
    const family = readFamily(request.params.family);
    const secret = await rotateWebhookSecret(database, owned.listing.id, family, clock.now()).catch(rethrowAsHttpError);
    await dashboard.render(request, response, owned, { name: `New secret of the ${family} webhooks`, secret });
  });

  router.post(`${path}/test`, async (request, response) => {
    const { listing, visitor } = await dashboard.requireOwnerForm(request, 'send');
    const sender = { userId: visitor.userId, username: visitor.username };
    const family = readFamily(request.params.family);
    const attempt = await testWebhook(sending, listing, family, sender);
    if (attempt === null) throw pageNotFound();
    queued();
    const notice = attempt.error === null ? 'test-delivered' : 'test-failed';
    response.redirect(303, `/dashboard/${listing.id}?notice=${notice}#${family}-webhooks`);
  });

  router.post(`${path}/pause`, async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    const webhook = { listingId: listing.id, family: readFamily(request.params.family) };
    if (!(await pauseForOwner(database, webhook, clock.now()))) throw pageNotFound();
    response.redirect(303, `/dashboard/${listing.id}?notice=paused#${webhook.family}-webhooks`);
  });

  router.post(`${path}/resume`, async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    const webhook = { listingId: listing.id, family: readFamily(request.params.family) };
    if (!(await resumeWebhook(database, webhook))) throw pageNotFound();
    queued();
    response.redirect(303, `/dashboard/${listing.id}?notice=resumed#${webhook.family}-webhooks`);
  });

  router.post(`${path}/remove`, async (request, response) => {
    const { listing } = await dashboard.requireOwnerForm(request);
    const family = readFamily(request.params.family);
    await deleteWebhook(database, listing.id, family);
    response.redirect(303, `/dashboard/${listing.id}?notice=removed#${family}-webhooks`);
  });

  return router;
}

function readFamily(text: string): WebhookFamily {
  if (text === 'vote' || text === 'premium') return text;
  throw pageNotFound();
}

/** Responds to an invalid webhook URL with 400. */
function rethrowAsHttpError(thrown: unknown): never {
  if (thrown instanceof TallyhookError) throw new HttpError(400, thrown.message);
  throw thrown;
}
