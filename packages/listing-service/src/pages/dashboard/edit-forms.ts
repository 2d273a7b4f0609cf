import { TallyhookError } from '@tallyhook/platform/errors';
import { standardSecret } from '@tallyhook/platform/webhooks/standard-webhooks';
import { RejectedTargetError, type TargetProblem } from '@tallyhook/platform/webhooks/target';
import { configureOwnersWebhook, rotateWebhookSecret, testWebhook } from '../../actions/configure-webhook.ts';
import { tooManyKeys } from '../../connect/connect-requests.ts';
import { deleteWebhook, findWebhook, pauseForOwner, resumeWebhook } from '../../storage/deliveries/webhooks.ts';
import { saveCheckedInvite } from '../../storage/listings/invite-checks.ts';
import { findKey, issueOwnersKey, revokeKey } from '../../storage/listings/keys.ts';
import { type StoredListing, updateListing } from '../../storage/listings/listings.ts';
import { PageError } from '../../texts/page-error.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import type { WebhookFamily } from '../../webhooks/event-kinds.ts';
import { botForm, inviteForm, keyForm, listingForm, readForm, serverForm, webhookForm } from '../forms.ts';
import { type PageDependencies, pageNotFound, readRowId } from '../page-routes.ts';
import { resultAt } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';
import { revokePage, sectionOf } from './edit-page.ts';

/** The form for what visitors read about a listing, and those of its API keys. */
export function addEditForms(dashboard: Dashboard, { database }: PageDependencies): void {
  dashboard.form('', 'edit', async ({ request, listing, now }) => {
    await updateListing(database, withEdits(listing, request.body), now);
    return resultAt('basics', 'saved');
  });

  dashboard.form('/keys', 'edit', async ({ request, listing, visitor, now, texts }) => {
    const { label } = readForm(keyForm, request.body);
    const issued = await issueOwnersKey(database, listing, { userId: visitor.userId, label, now });
    if (issued === 'not-owner') throw pageNotFound();
    if (issued === 'too-many') throw tooManyKeys();
    return { section: 'advanced', name: texts.text('edit.keyNamed', { label }), secret: issued.key };
  });

  dashboard.page(
    '/keys/:keyId/revoke',
    ({ text }) => text('keys.revokeTitle'),
    async (owned) => {
      const key = await findKey(database, owned.listing.id, readRowId(owned.request.params.keyId));
      if (key === null) throw pageNotFound();
      return revokePage(key, owned);
    },
  );

  dashboard.form('/keys/:keyId/revoke', null, async ({ request, listing, now }) => {
    if (!(await revokeKey(database, listing.id, readRowId(request.params.keyId), now))) throw pageNotFound();
    return resultAt('advanced', 'revoked');
  });
}

/** @throws PageError 400 */
function withEdits(listing: StoredListing, body: unknown): StoredListing {
  const edits = readForm(listingForm, body);
  if (listing.kind === 'bot') {
    return { ...listing, ...edits, facts: { ...listing.facts, ...readForm(botForm, body) } };
  }
  // The lookup API returns one category: the one that it was, if that is still chosen.
  const { category } = listing.facts;
  const [first = category, ...others] = edits.categories;
  const main = others.find((each) => each === category) ?? first;
  return { ...listing, ...edits, facts: { ...listing.facts, ...readForm(serverForm, body), category: main } };
}

/** The form for the invite. An empty one takes it away. */
export function addInviteForm(dashboard: Dashboard, { database, invites }: PageDependencies): void {
  dashboard.form('/invite', 'edit', async ({ request, listing, now }) => {
    const { invite: text } = readForm(inviteForm, request.body);
    const checked = text === '' ? { invite: null } : await invites.check(listing, text);
    if ('problem' in checked) {
      const { problem } = checked;
      const isOfDiscord = problem === 'limited' || problem === 'unavailable';
      throw new PageError(
        isOfDiscord ? 503 : 400,
        ({ text }) => text(`errors.invites.${problem}`),
        isOfDiscord ? 30 : null,
      );
    }
    await saveCheckedInvite(database, listing, checked.invite, now);
    return resultAt('invite', 'saved');
  });
}

/** The forms of the webhook sections: save, rotate, test, pause, resume, remove. */
export function addWebhookForms(dashboard: Dashboard, dependencies: PageDependencies): void {
  const { database, targets, queued } = dependencies;
  const path = '/webhooks/:family';

  dashboard.form(path, 'edit', async ({ request, listing, visitor, texts }) => {
    const key = { listingId: listing.id, family: readFamily(request.params.family) };
    const form = readForm(webhookForm, request.body);
    const existing = await findWebhook(database, key.listingId, key.family);
    const settings = { ...key, ...form, userId: visitor.userId };
    const secret = await configureOwnersWebhook(database, settings, targets).catch(rethrowAsPageError);
    if (secret === null) throw pageNotFound();
    queued();
    if (existing || form.secret !== undefined) return resultAt(sectionOf(key.family), 'saved');
    return { section: sectionOf(key.family), name: texts.text(`edit.secretOf.${key.family}`), ...formsOf(secret) };
  });

  dashboard.form(`${path}/rotate`, 'edit', async ({ request, listing, now, texts }) => {
    const family = readFamily(request.params.family);
    const secret = await rotateWebhookSecret(database, listing.id, family, now).catch(rethrowAsPageError);
    return { section: sectionOf(family), name: texts.text(`edit.newSecretOf.${family}`), ...formsOf(secret) };
  });

  dashboard.form(`${path}/test`, 'send', async ({ request, listing, visitor: { userId, username } }) => {
    const family = readFamily(request.params.family);
    const attempt = await testWebhook(dependencies, listing, family, { userId, username });
    if (attempt === null) throw pageNotFound();
    queued();
    return resultAt(sectionOf(family), attempt.error === null ? 'test-delivered' : 'test-failed');
  });

  dashboard.form(`${path}/pause`, null, async ({ request, listing, now }) => {
    const family = readFamily(request.params.family);
    if (!(await pauseForOwner(database, { listingId: listing.id, family }, now))) throw pageNotFound();
    return resultAt(sectionOf(family), 'paused');
  });

  dashboard.form(`${path}/resume`, null, async ({ request, listing }) => {
    const family = readFamily(request.params.family);
    if (!(await resumeWebhook(database, { listingId: listing.id, family }))) throw pageNotFound();
    queued();
    return resultAt(sectionOf(family), 'resumed');
  });

  dashboard.form(`${path}/remove`, null, async ({ request, listing }) => {
    const family = readFamily(request.params.family);
    await deleteWebhook(database, listing.id, family);
    return resultAt(sectionOf(family), 'removed');
  });
}

function formsOf(secret: string) {
  return { secret, standard: standardSecret(secret) };
}

function readFamily(text: string): WebhookFamily {
  if (text === 'vote' || text === 'premium') return text;
  throw pageNotFound();
}

/** Responds to an invalid URL, and to a webhook that was removed meanwhile, with 400. */
function rethrowAsPageError(thrown: unknown): never {
  if (thrown instanceof RejectedTargetError) throw new PageError(400, explainTarget(thrown.problem));
  if (thrown instanceof TallyhookError) throw new PageError(400, ({ text }) => text('errors.noWebhook'));
  throw thrown;
}

function explainTarget(problem: TargetProblem): (texts: ServiceTexts) => string {
  return ({ text }) => {
    switch (problem.name) {
      case 'notUrl':
        return text('targets.notUrl');
      case 'scheme':
        return text('targets.scheme');
      case 'credentials':
        return text('targets.credentials');
      case 'onlyHere':
        return text('targets.onlyHere');
      case 'port':
        return text('targets.port', { port: problem.port });
      case 'notPublic':
        return text('targets.notPublic', { host: problem.host });
      case 'noAddress':
        return text('targets.noAddress', { host: problem.host });
      case 'unresolved':
        return text('targets.unresolved', { host: problem.host });
    }
  };
}
