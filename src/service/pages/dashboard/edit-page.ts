import { formatCount } from '../../../platform/durations.ts';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { dateTime, timeAgo } from '../../../platform/web/time-element.ts';
import type { Listing } from '../../listing/listing.ts';
import type { Sql } from '../../storage/database.ts';
import { deliveryRecords } from '../../storage/deliveries/deliveries.ts';
import { findWebhook, type Webhook } from '../../storage/deliveries/webhooks.ts';
import { keysOfListing, maxKeys, type StoredKey } from '../../storage/listings/keys.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { type Purchase, purchasesOf } from '../../storage/purchases.ts';
import type { WebhookFamily } from '../../storage/tables.ts';
import { isolated, listingIcon } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';
import { deliveryList } from './delivery-list.ts';

const maxDeliveries = 5;
const maxPurchases = 25;

/** A secret that was just created, shown only now. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
}

/** The owner's view of a listing. */
interface OwnedListing {
  readonly listing: StoredListing;
  readonly visitor: Visitor;
  readonly now: number;
}

/** The sections of the page on which an owner edits a listing. */
export async function editSections(sql: Sql, owned: OwnedListing, newSecret: NewSecret | null): Promise<Html> {
  const { listing, visitor, now } = owned;
  const deliveries = await deliveryRecords(sql, listing.id, { limit: maxDeliveries });
  return html`${newSecret && newSecretNotice(newSecret)}
${basicsSection(listing, visitor)}
${iconSection(listing, visitor)}
${webhookSection('vote', await findWebhook(sql, listing.id, 'vote'), owned)}
${webhookSection('premium', await findWebhook(sql, listing.id, 'premium'), owned)}
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Last deliveries</h2>
${deliveryList(deliveries, listing, visitor, now)}
${deliveries.length > 0 && html`<p><a href="/dashboard/${listing.id}/deliveries">All deliveries</a></p>`}</section>
${purchasesSection(await purchasesOf(sql, listing.id, maxPurchases))}
${keysSection(await keysOfListing(sql, listing.id), owned)}`;
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

/** The categories that owners choose from. Operators may use others. */
const categories: readonly string[] = [
  'Community',
  'Gaming',
  'Anime',
  'Music',
  'Art',
  'Technology',
  'Education',
  'Language',
  'Sports',
  'Other',
];

/** The form for what visitors read about a listing. */
function basicsSection(listing: Listing, visitor: Visitor): Html {
  return html`<section class="card" aria-labelledby="basics"><h2 id="basics">Basics</h2>
<form class="stack" method="post" action="/dashboard/${listing.id}">${formTokenField(visitor)}
  <label>Name <input name="name" required maxlength="100" value="${listing.name}" dir="auto"></label>
  <label>Description <textarea name="description" maxlength="2000" rows="4" dir="auto">${listing.description}</textarea></label>
  <label>Tags <input name="tags" maxlength="500" value="${listing.tags.join(', ')}" dir="auto">
    <span class="hint">Up to 10, separated by commas.</span></label>
  ${listing.kind === 'server' ? serverFields(listing.facts) : botFields(listing.facts)}
  <button>Save</button>
</form></section>`;
}

function serverFields({ category, rules }: { readonly category: string; readonly rules: readonly string[] }): Html {
  const choices = categories.includes(category) ? categories : [category, ...categories];
  return html`<label>Category <select name="category">${choices.map((name) => html`<option${name === category && html` selected`}>${name}</option>`)}</select></label>
  <label>Rules <textarea name="rules" maxlength="4000" rows="5" dir="auto">${rules.join('\n')}</textarea>
    <span class="hint">One per line, up to 25.</span></label>`;
}

function botFields({ servers, shards }: { readonly servers: number; readonly shards: number }): Html {
  return html`<div class="fields"><label>Servers <input type="number" name="servers" min="0" max="100000000" required value="${servers}"></label>
  <label>Shards <input type="number" name="shards" min="1" max="100000" required value="${Math.max(1, shards)}"></label></div>`;
}

/** The forms to upload and to remove the icon. */
function iconSection(listing: StoredListing, visitor: Visitor): Html {
  const path = `/dashboard/${listing.id}/icon`;
  const token = formTokenField(visitor);
  return html`<section class="card" aria-labelledby="icon"><h2 id="icon">Icon</h2>
<div class="icon-form">${listingIcon(listing, 'large')}
  <div><form class="stack" method="post" action="${path}" enctype="multipart/form-data">${token}
    <label>Picture <input type="file" name="icon" required accept="image/png,image/jpeg,image/webp,image/gif">
      <span class="hint">PNG, JPEG, WebP or GIF, up to 256 KB and 1024 × 1024 pixels.</span></label>
    <button>Upload</button>
  </form>
  ${listing.iconVersion !== null && html`<form class="line" method="post" action="${path}/remove">${token}<button class="plain danger">Remove icon</button></form>`}</div>
</div></section>`;
}

const titles = { vote: 'Vote Webhooks', premium: 'Premium Webhooks' } as const;

/** One family of webhooks in the dashboard (document, section 6: "a URL field … with a Test Webhook action"). */
function webhookSection(family: WebhookFamily, webhook: Webhook | null, { listing, visitor, now }: OwnedListing): Html {
  const path = `/dashboard/${listing.id}/webhooks/${family}`;
  const token = formTokenField(visitor);
  return html`<section class="card" aria-labelledby="${family}-webhooks" data-family="${family}">
<h2 id="${family}-webhooks">${titles[family]}</h2>
${webhook && health(webhook, path, token, now)}
<form class="stack" method="post" action="${path}#${family}-webhooks">${token}
  <label>URL <input type="url" name="url" required maxlength="500" placeholder="https://" value="${webhook?.url ?? ''}"></label>
  <label>Secret <input type="password" name="secret" autocomplete="off" maxlength="200" placeholder="${webhook ? `unchanged, ends in ${webhook.secret.slice(-4)}` : 'leave empty to generate one'}"></label>
  <button>Save</button>
</form>
${webhook && actions(webhook, path, token)}
</section>`;
}

function health(webhook: Webhook, path: string, token: Html, now: number): Html {
  const { paused } = webhook;
  return html`${
    paused &&
    html`<div class="notice ${paused.by === 'owner' ? 'plain' : 'bad'}"><p>Paused ${timeAgo(paused.at, now)}. ${paused.reason} New events are queued and sent when you resume.</p>
  <form method="post" action="${path}/resume">${token}<button>Resume</button></form></div>`
  }
${!paused && webhook.failures > 0 && html`<p class="bad">${formatCount(webhook.failures, 'consecutive failed attempt')}.</p>`}
${webhook.previous && webhook.previous.until > now && html`<p class="quiet">The previous secret is still used until ${dateTime(webhook.previous.until)} if the new one is rejected.</p>`}`;
}

function actions({ paused, family }: Webhook, path: string, token: Html): Html {
  return html`<div class="line">
  <form method="post" action="${path}/test">${token}<button class="second">Test Webhook</button></form>
  <form method="post" action="${path}/rotate#${family}-webhooks">${token}<button class="second">Rotate secret</button></form>
  ${paused === null && html`<form method="post" action="${path}/pause">${token}<button class="second">Pause</button></form>`}
  <form method="post" action="${path}/remove">${token}<button class="plain danger">Remove</button></form>
</div>
<p class="quiet">A test is a delivery like any other, with your id and your name, and <code>test: true</code>. A receiver that does not look at <code>test</code> pays you for it.</p>`;
}

/** The API keys of a listing. The document calls their place "advanced setup" (section 5). */
function keysSection(keys: readonly StoredKey[], { listing, visitor, now }: OwnedListing): Html {
  const path = `/dashboard/${listing.id}/keys`;
  return html`<section class="card" aria-labelledby="advanced"><h2 id="advanced">Advanced setup</h2>
<h3>API keys</h3>
<p class="quiet">Keep them secret, on your server. A key gives access to this ${listing.kind} only, with 120 requests per minute.</p>
${
  keys.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>Name</th><th>Key</th><th>Created</th><th>Last used</th><td></td></tr></thead>
<tbody>${keys.map(
    (
      key,
    ) => html`<tr><td class="wrap">${isolated(key.label)}</td><td><code>…${key.hint}</code></td><td>${timeAgo(key.createdAt, now)}</td>
  <td>${key.lastUsedAt === null ? html`<span class="quiet">never</span>` : timeAgo(key.lastUsedAt, now)}</td>
  <td><a class="danger" href="${path}/${key.id}/revoke" aria-label="Revoke ${key.label}">Revoke</a></td></tr>`,
  )}</tbody></table></div>`
}
${
  keys.length >= maxKeys
    ? html`<p class="quiet">You have ${keys.length} keys. Revoke one to create another.</p>`
    : html`<form class="line" method="post" action="${path}#advanced">${formTokenField(visitor)}
  <label>Name <input name="label" required maxlength="60" value="Key"></label> <button>Create API key</button>
</form>`
}</section>`;
}

/** The confirmation before a key is revoked. */
export function revokePage(key: StoredKey, { listing, visitor, now }: OwnedListing): Html {
  return html`<section class="card" aria-labelledby="revoke"><h2 id="revoke">Revoke the key “${isolated(key.label)}”?</h2>
<p>It ends in <code>…${key.hint}</code>, and was ${key.lastUsedAt === null ? 'never used' : html`last used ${timeAgo(key.lastUsedAt, now)}`}. Programs that use it get 401 at once. This cannot be undone.</p>
<form class="line" method="post" action="/dashboard/${listing.id}/keys/${key.id}/revoke">${formTokenField(visitor)}
  <button class="danger-solid">Revoke key</button> <a href="/dashboard/${listing.id}#advanced">Cancel</a></form></section>`;
}
