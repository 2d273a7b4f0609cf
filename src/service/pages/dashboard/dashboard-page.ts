import { formTokenField } from '../../../web/form-token.ts';
import { type Html, html } from '../../../web/html.ts';
import { dateTime, timeAgo } from '../../../web/time-element.ts';
import { type Listing, pagePath } from '../../listing/listing.ts';
import type { WebhookDeliveryRecord } from '../../storage/attempts.ts';
import type { StoredKey } from '../../storage/keys.ts';
import type { Purchase } from '../../storage/purchases.ts';
import type { Webhook } from '../../storage/webhooks.ts';
import type { Visitor } from '../session.ts';
import { deliveriesSection } from './deliveries-section.ts';
import { webhookSection } from './webhook-section.ts';

export interface DashboardView {
  readonly listing: Listing;
  readonly visitor: Visitor;
  readonly keys: readonly StoredKey[];
  readonly webhooks: { readonly vote: Webhook | null; readonly premium: Webhook | null };
  readonly deliveries: readonly WebhookDeliveryRecord[];
  readonly purchases: readonly Purchase[];
  readonly now: number;
}

/** A secret that was just created, shown only now. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
}

export function dashboardPage(view: DashboardView, newSecret: NewSecret | null): Html {
  const { listing, visitor, webhooks, now } = view;
  return html`<h1>Edit ${listing.kind}</h1>
<p class="quiet">${listing.name} · <a href="${pagePath(listing)}">Public page</a></p>
${newSecret && newSecretNotice(newSecret)}
<section class="card" aria-labelledby="basics"><h2 id="basics">Basics</h2>${listingFields(listing, visitor)}</section>
${webhookSection('vote', webhooks.vote, listing, visitor, now)}
${webhookSection('premium', webhooks.premium, listing, visitor, now)}
${deliveriesSection(view.deliveries, listing, visitor, now)}
${purchasesSection(view.purchases)}
<section class="card" aria-labelledby="advanced"><h2 id="advanced">Advanced setup</h2>${apiKeys(view)}</section>`;
}

function newSecretNotice({ name, secret }: NewSecret): Html {
  return html`<div class="notice good" role="status"><p>${name}. Copy it now: it is not shown again.</p>
  <p><code class="secret">${secret}</code></p></div>`;
}

function listingFields(listing: Listing, visitor: Visitor): Html {
  return html`<form class="stack" method="post" action="/dashboard/${listing.id}">${formTokenField(visitor)}
  <label>Name <input name="name" required maxlength="100" value="${listing.name}"></label>
  <label>Description <textarea name="description" maxlength="2000" rows="4">${listing.description}</textarea></label>
  <label>Tags <input name="tags" maxlength="500" value="${listing.tags.join(', ')}"></label>
  <button>Save</button>
</form>`;
}

function purchasesSection(purchases: readonly Purchase[]): Html | null {
  if (purchases.length === 0) return null;
  return html`<section class="card" aria-labelledby="purchases"><h2 id="purchases">Premium</h2>
<div class="scroll"><table><thead><tr><th>Buyer</th><th>Tier</th><th>Status</th><th>Until</th></tr></thead>
<tbody>${purchases.map(
    (order) => html`<tr><td>${order.buyer.username}${order.recipient && html` for ${order.recipient.username}`}</td>
  <td>${order.tier.name}, ${order.tier.duration}</td><td>${order.status}</td>
  <td>${order.currentPeriodEnd === null ? 'lifetime' : dateTime(order.currentPeriodEnd)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function apiKeys({ listing, visitor, keys, now }: DashboardView): Html {
  const path = `/dashboard/${listing.id}/keys`;
  return html`<h3>API key</h3>
<p class="quiet">Keep it secret, on your server. It gives access to this ${listing.kind} only, with 120 requests per minute.</p>
<div class="scroll"><table><thead><tr><th>Label</th><th>Key</th><th>Created</th><th></th></tr></thead>
<tbody>${keys.map(
    (key) => html`<tr><td>${key.label}</td><td><code>…${key.hint}</code></td><td>${timeAgo(key.createdAt, now)}</td>
  <td><form method="post" action="${path}/${key.id}/revoke">${formTokenField(visitor)}<button class="plain danger" aria-label="Revoke ${key.label}">Revoke</button></form></td></tr>`,
  )}</tbody></table></div>
<form class="line" method="post" action="${path}">${formTokenField(visitor)}
  <label>Label <input name="label" required maxlength="60" value="Key"></label> <button>Create API key</button>
</form>`;
}
