import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { z } from 'zod';
import { readForm } from '../pages/forms.ts';
import { isolated } from '../pages/listing-parts.ts';
import { type PageCall, type PageDependencies, PageRoutes } from '../pages/page-routes.ts';
import { findWebhook, type Webhook } from '../storage/deliveries/webhooks.ts';
import { findRole } from '../storage/listings/co-owners.ts';
import { countKeys, maxKeys } from '../storage/listings/keys.ts';
import { findListing, type StoredListing } from '../storage/listings/listings.ts';
import { PageError } from '../texts/page-error.ts';
import {
  approveConnectRequest,
  type ConnectRequest,
  deleteConnectRequest,
  findConnectRequest,
  tooManyKeys,
} from './connect-requests.ts';

const path = '/connect/:id';
const decision = z.object({ decision: z.enum(['connect', 'cancel']) });

/** The page on which the owner of a listing decides what a bot has asked for. */
export function consentRoutes(dependencies: PageDependencies): Router {
  const { database, admission } = dependencies;
  const routes = new PageRoutes(dependencies);

  /** The request of the member who has made it, so that nobody approves what another has asked. @throws PageError */
  async function requireRequest({ request, visitor, now }: PageCall<{ id: string }>): Promise<ConnectRequest> {
    const asked = await findConnectRequest(database, request.params.id, now);
    if (asked === null) throw new PageError(404, ({ text }) => text('errors.connectDecided'));
    if (asked.member === visitor.userId) return asked;
    throw new PageError(403, ({ text }) => text('errors.connectOther'));
  }

  async function ownListing({ guild, member }: ConnectRequest): Promise<StoredListing | null> {
    const listing = await findListing(database, guild);
    if (listing?.kind !== 'server' || listing.state === 'deleting') return null;
    return (await findRole(database, listing, member)) === null ? null : listing;
  }

  routes.memberPage(path, async (call) => {
    const asked = await requireRequest(call);
    const listing = await ownListing(asked);
    const { response, texts } = call;
    if (listing === null) return { title: texts.text('connect.notYours'), body: unlistedPage(asked, call) };
    const webhooks = [
      await findWebhook(database, listing.id, 'vote'),
      await findWebhook(database, listing.id, 'premium'),
    ];
    // Browsers apply this policy to the redirect after the form, too.
    const policy = String(response.getHeader('content-security-policy'));
    const { origin } = new URL(asked.redirect_uri);
    response.set('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${origin}`));
    return { title: texts.text('connect.title'), body: consentPage(asked, listing, webhooks, call) };
  });

  routes.form(path, async (call) => {
    const asked = await requireRequest(call);
    const { request, visitor } = call;
    const { id } = request.params;
    if (readForm(decision, request.body).decision === 'cancel') {
      await deleteConnectRequest(database, id);
      return answerOf(asked, { error: 'access_denied' });
    }
    await admission.admit(request, 'edit', visitor.userId);
    const listing = await ownListing(asked);
    if (listing === null) throw new PageError(403, ({ text }) => text('errors.connectLost'));
    if ((await countKeys(database, listing.id)) >= maxKeys) throw tooManyKeys();
    const code = await approveConnectRequest(database, id);
    if (code === null) throw new PageError(409, ({ text }) => text('errors.connectDecided'));
    return answerOf(asked, { code });
  });

  return routes.router;
}

/** Where the browser brings the decision: the address that was shown, and no secret. */
function answerOf({ redirect_uri, state }: ConnectRequest, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, state })) url.searchParams.set(name, value);
  return url.href;
}

function consentPage(
  { name, redirect_uri, webhooks: { vote, premium } }: ConnectRequest,
  listing: StoredListing,
  webhooks: readonly (Webhook | null)[],
  { request, visitor, texts }: PageCall,
): Html {
  const replaced = new Set(webhooks.flatMap((each) => (each === null ? [] : [each.url])));
  for (const url of [vote, premium]) replaced.delete(url);
  const code = (text: string) => html`<code>${text}</code>`;
  const origin = html`<strong>${new URL(redirect_uri).origin}</strong>`;
  return html`<h1>${texts.text('connect.title')}</h1>
<form class="card stack" method="post" action="${request.path}">${formTokenField(visitor)}
<p>${texts.fill('connect.asks', { bot: isolated(name), origin, server: isolated(listing.name) })}</p>
<ul><li>${texts.text('connect.key')}</li>
<li>${texts.fill('connect.votes', { url: code(vote) })}</li>
<li>${texts.fill('connect.premium', { url: code(premium) })}</li></ul>
${replaced.size > 0 && html`<p>${texts.fill('connect.replaced', { urls: [...replaced].map((url) => html`${code(url)} `) })}</p>`}
<p class="quiet">${texts.text('connect.warning')}</p>
<p class="line"><button name="decision" value="connect">${texts.text('connect.submit')}</button> <button class="plain" name="decision" value="cancel">${texts.text('frame.cancel')}</button></p>
</form>`;
}

function unlistedPage({ guild }: ConnectRequest, { request, texts: { fill, text } }: PageCall): Html {
  return html`<h1>${text('connect.notYours')}</h1>
<p>${fill('connect.unlisted', { id: html`<code>${guild}</code>` })}</p>
<p class="line"><a class="button" href="/dashboard/new">${text('connect.addServer')}</a> <a href="${request.path}">${text('frame.tryAgain')}</a></p>`;
}
