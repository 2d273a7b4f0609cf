import { type Html, html } from '../../../platform/web/html.ts';
import { dateTime } from '../../../platform/web/time-element.ts';
import type { WebhookDeliveryRecord } from '../../storage/deliveries/attempts.ts';
import type { Webhook } from '../../storage/deliveries/webhooks.ts';
import type { StoredKey } from '../../storage/listings/keys.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import type { Purchase } from '../../storage/purchases.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';
import { basicsSection } from './basics-section.ts';
import { deliveryList } from './deliveries-page.ts';
import { iconSection } from './icon-section.ts';
import { keysSection } from './keys-section.ts';
import { dashboardFrame } from './tabs.ts';
import { webhookSection } from './webhook-section.ts';

export interface DashboardView {
  readonly listing: StoredListing;
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

/** The page on which an owner edits a listing. */
export function dashboardPage(view: DashboardView, newSecret: NewSecret | null): Html {
  const { listing, visitor, webhooks, deliveries, now } = view;
  const body = html`${newSecret && newSecretNotice(newSecret)}
${basicsSection(listing, visitor)}
${iconSection(listing, visitor)}
${webhookSection('vote', webhooks.vote, listing, visitor, now)}
${webhookSection('premium', webhooks.premium, listing, visitor, now)}
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Last deliveries</h2>
${deliveryList(deliveries, listing, visitor, now)}
${deliveries.length > 0 && html`<p><a href="/dashboard/${listing.id}/deliveries">All deliveries</a></p>`}</section>
${purchasesSection(view.purchases)}
${keysSection(view)}`;
  return dashboardFrame(listing, '', `Edit ${listing.kind}`, body);
}

function newSecretNotice({ name, secret }: NewSecret): Html {
  return html`<div class="notice good" role="status"><p>${isolated(name)}. Copy it now: it is not shown again.</p>
  <p><code class="secret">${secret}</code></p></div>`;
}

function purchasesSection(purchases: readonly Purchase[]): Html | null {
  if (purchases.length === 0) return null;
  return html`<section class="card" aria-labelledby="purchases"><h2 id="purchases">Premium</h2>
<div class="scroll"><table><thead><tr><th>Buyer</th><th>Tier</th><th>Status</th><th>Until</th></tr></thead>
<tbody>${purchases.map(
    (
      order,
    ) => html`<tr><td>${isolated(order.buyer.username)}${order.recipient && html` for ${isolated(order.recipient.username)}`}</td>
  <td>${order.tier.name}, ${order.tier.duration}</td><td>${order.status}</td>
  <td>${order.currentPeriodEnd === null ? 'lifetime' : dateTime(order.currentPeriodEnd)}</td></tr>`,
  )}</tbody></table></div></section>`;
}
