import { Router } from 'express';
import { TallyhookError } from '../../platform/errors.ts';
import { configureWebhook, rotateWebhookSecret } from '../actions/configure-webhook.ts';
import { testWebhook } from '../actions/test-webhook.ts';
import type { WebhookFamily } from '../storage/tables.ts';
import { clearFailures, deleteWebhook, findWebhook } from '../storage/webhooks.ts';
import { RejectedTargetError } from '../webhooks/target.ts';
import type { Dashboard } from './dashboard.ts';
import type { PageDependencies } from './dependencies.ts';
import { readForm, webhookForm } from './forms.ts';
import { notFound, PageError } from './page-error.ts';

/** The dashboard's webhook sections: address and secret, test, rotation, resuming, removal. */
export function webhookRoutes({ sending, queued }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock, targets } = sending;
  const router = Router();
  const path = '/dashboard/:id/webhooks/:family';

  router.post(path, async (request, response) => {
    const owner = await dashboard.posted(request);
    const place = { listingId: owner.listing.id, family: readFamily(request.params.family) };
    const form = readForm(webhookForm, request.body);
    const before = await findWebhook(database, place.listingId, place.family);
    const secret = await configureWebhook(database, { ...place, ...form }, targets).catch(told);
    queued();
    if (before || form.secret !== undefined)
      return response.redirect(303, `/dashboard/${place.listingId}?notice=saved`);
    await dashboard.show(request, response, owner, { what: `Secret of the ${place.family} webhooks`, secret });
  });

  router.post(`${path}/rotate`, async (request, response) => {
    const owner = await dashboard.posted(request);
    const family = readFamily(request.params.family);
    const secret = await rotateWebhookSecret(database, owner.listing.id, family, clock.now()).catch(told);
    await dashboard.show(request, response, owner, { what: `New secret of the ${family} webhooks`, secret });
  });

  router.post(`${path}/test`, async (request, response) => {
    const { listing, visitor } = await dashboard.posted(request);
    const asking = { userId: visitor.userId, username: visitor.username };
    const attempt = await testWebhook(sending, listing, readFamily(request.params.family), asking);
    if (attempt === null) throw notFound();
    queued();
    const notice = attempt.error === null ? 'test-delivered' : 'test-failed';
    response.redirect(303, `/dashboard/${listing.id}?notice=${notice}`);
  });

  router.post(`${path}/resume`, async (request, response) => {
    const { listing } = await dashboard.posted(request);
    const webhook = await findWebhook(database, listing.id, readFamily(request.params.family));
    if (webhook === null) throw notFound();
    await clearFailures(database, webhook);
    queued();
    response.redirect(303, `/dashboard/${listing.id}?notice=resumed`);
  });

  router.post(`${path}/remove`, async (request, response) => {
    const { listing } = await dashboard.posted(request);
    await deleteWebhook(database, listing.id, readFamily(request.params.family));
    response.redirect(303, `/dashboard/${listing.id}?notice=removed`);
  });

  return router;
}

function readFamily(text: string): WebhookFamily {
  if (text === 'vote' || text === 'premium') return text;
  throw notFound();
}

/** Tells the owner what is wrong with an address, and passes on what nobody foresaw. */
function told(thrown: unknown): never {
  if (thrown instanceof RejectedTargetError || thrown instanceof TallyhookError)
    throw new PageError(400, thrown.message);
  throw thrown;
}
