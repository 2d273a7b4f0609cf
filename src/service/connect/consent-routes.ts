import type { Router } from 'express';
import { z } from 'zod';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import { readForm } from '../pages/forms.ts';
import { isolated } from '../pages/listing-parts.ts';
import { type PageCall, type PageDependencies, PageRoutes } from '../pages/page-routes.ts';
import type { Visitor } from '../pages/session.ts';
import { findWebhook, type Webhook } from '../storage/deliveries/webhooks.ts';
import {
  approveConnectRequest,
  type ConnectRequest,
  deleteConnectRequest,
  findConnectRequest,
} from '../storage/listings/connect-requests.ts';
import { countKeys, maxKeys } from '../storage/listings/keys.ts';
import { findListing, type StoredListing } from '../storage/listings/listings.ts';
import { tooManyKeys } from './connect-listing.ts';

const path = '/connect/:id';
const decision = z.object({ decision: z.enum(['connect', 'cancel']) });

/** The page on which the owner of a listing decides what a bot has asked for. */
export function consentRoutes(dependencies: PageDependencies): Router {
  const { database, admission } = dependencies;
  const routes = new PageRoutes(dependencies);

  /** Only for the member who has asked, so that nobody is made to approve what another has asked. @throws HttpError */
  async function requireRequest({ request, visitor, now }: PageCall<{ id: string }>): Promise<ConnectRequest> {
    const asked = await findConnectRequest(database, request.params.id, now);
    if (asked === null)
      throw new HttpError(404, 'This request was decided already, or has expired. Start again with the bot.');
    if (asked.member === visitor.userId) return asked;
    throw new HttpError(
      403,
      'Another Discord account has asked to connect the bot. Sign out here, and sign in with the account that you used with the bot.',
    );
  }

  async function ownListing({ guild, member }: ConnectRequest): Promise<StoredListing | null> {
    const listing = await findListing(database, guild);
    return listing?.kind === 'server' && listing.ownerId === member && listing.state !== 'deleting' ? listing : null;
  }

  routes.memberPage(path, async (call) => {
    const asked = await requireRequest(call);
    const listing = await ownListing(asked);
    const { request, response, visitor } = call;
    if (listing === null) return { title: 'Not your listing', body: unlistedPage(asked, request.path) };
    const webhooks = [
      await findWebhook(database, listing.id, 'vote'),
      await findWebhook(database, listing.id, 'premium'),
    ];
    // Browsers apply this policy to the redirect after the form, too.
    const policy = String(response.getHeader('content-security-policy'));
    const { origin } = new URL(asked.redirect_uri);
    response.set('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${origin}`));
    return { title: 'Connect a bot', body: consentPage(asked, listing, { visitor, webhooks, action: request.path }) };
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
    if (listing === null) throw new HttpError(403, 'This listing is not yours any more.');
    if ((await countKeys(database, listing.id)) >= maxKeys) throw tooManyKeys();
    const code = await approveConnectRequest(database, id);
    if (code === null) throw new HttpError(409, 'This request was decided already.');
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
  options: { readonly visitor: Visitor; readonly webhooks: readonly (Webhook | null)[]; readonly action: string },
): Html {
  const { visitor, webhooks, action } = options;
  const replaced = new Set(webhooks.flatMap((each) => (each === null ? [] : [each.url])));
  for (const url of [vote, premium]) replaced.delete(url);
  return html`<h1>Connect a bot</h1>
<form class="card stack" method="post" action="${action}">${formTokenField(visitor)}
<p>The bot ${isolated(name)} at <strong>${new URL(redirect_uri).origin}</strong> asks for access to your server ${isolated(listing.name)}. It gets:</p>
<ul><li>an API key, to read votes, reviews and statistics of the server</li>
<li>votes, sent to <code>${vote}</code> with a new secret</li>
<li>premium events, sent to <code>${premium}</code> with a new secret</li></ul>
${replaced.size > 0 && html`<p>Nothing more is sent to ${[...replaced].map((url) => html`<code>${url}</code> `)}</p>`}
<p class="quiet">Connect it only if you know this address, and if you have just asked the bot for it. You can revoke the key and change the webhooks in the dashboard at any time.</p>
<p class="line"><button name="decision" value="connect">Connect</button> <button class="plain" name="decision" value="cancel">Cancel</button></p>
</form>`;
}

function unlistedPage({ guild }: ConnectRequest, action: string): Html {
  return html`<h1>Not your listing</h1>
<p>You have no listing of the server <code>${guild}</code> here. Add the server first, or take over its listing, and then come back to this page within ten minutes.</p>
<p class="line"><a class="button" href="/dashboard/new">Add the server</a> <a href="${action}">Try again</a></p>`;
}
