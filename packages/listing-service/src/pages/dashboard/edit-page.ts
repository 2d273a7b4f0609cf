import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { apiBasePath } from '../../api/openapi.ts';
import { type Category, categories } from '../../listing/category.ts';
import { type BotFacts, maxServers, maxShards, pagePath, type ServerFacts } from '../../listing/listing.ts';
import { deliveryRecords } from '../../storage/deliveries/deliveries.ts';
import { findWebhook, type Webhook } from '../../storage/deliveries/webhooks.ts';
import { findInviteCheck } from '../../storage/listings/invite-checks.ts';
import { keysOfListing, maxKeys, type StoredKey } from '../../storage/listings/keys.ts';
import { type Purchase, purchasesOf } from '../../storage/purchases.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { goneReason } from '../../webhooks/attempt.ts';
import type { WebhookFamily } from '../../webhooks/event-kinds.ts';
import { copyable, copyScript } from '../copyable.ts';
import { languageParameter } from '../language.ts';
import { isolated, listingIcon } from '../listing-parts.ts';
import type { OwnerCall, PageDependencies } from '../page-routes.ts';
import { badgePath } from '../previews/preview-tags.ts';
import { resultId, sectionHead } from '../render-page.ts';
import { deliveryList } from './delivery-list.ts';

const maxDeliveries = 5;
const maxPurchases = 25;

/** A secret that was just created, shown only now, in a section of the page. */
export interface NewSecret {
  readonly section: string;
  readonly name: string;
  readonly secret: string;
  /** The secret in the form of libraries of Standard Webhooks (`whsec_…`); absent for an API key. */
  readonly standard?: string;
}

interface EditView extends OwnerCall {
  readonly newSecret: NewSecret | null;
  readonly origin: string;
}

export function sectionOf(family: WebhookFamily): string {
  return `${family}-webhooks`;
}

/** The page on which an owner edits a listing: a list of its sections, and the sections. */
export async function editSections(
  { database: sql, origin }: PageDependencies,
  owned: OwnerCall,
  newSecret: NewSecret | null,
): Promise<Html> {
  const view = { ...owned, newSecret, origin };
  const { listing, texts } = owned;
  const deliveries = await deliveryRecords(sql, listing.id, { limit: maxDeliveries });
  const purchases = await purchasesOf(sql, listing.id, maxPurchases);
  return html`<p>${texts.text('dashboard.voteAddress')} ${copyable(origin + pagePath(listing), texts)}</p>
${contents(view, purchases.length > 0)}
${basicsSection(view)}
${inviteSection(view, await findInviteCheck(sql, listing.id))}
${iconSection(view)}
${webhookSection('vote', await findWebhook(sql, listing.id, 'vote'), view)}
${webhookSection('premium', await findWebhook(sql, listing.id, 'premium'), view)}
<section class="card" aria-labelledby="deliveries">${sectionHead('deliveries', texts.text('edit.lastDeliveries'), view)}
${deliveryList(deliveries, view, 'edit')}
${deliveries.length > 0 && html`<p><a href="/dashboard/${listing.id}/deliveries">${texts.text('edit.allDeliveries')}</a></p>`}</section>
${purchasesSection(purchases, texts)}
${badgeSection(view, origin)}
${keysSection(await keysOfListing(sql, listing.id), view)}
${copyScript}`;
}

function contents({ listing, texts }: EditView, hasPurchases: boolean): Html {
  const { text } = texts;
  const sections = {
    basics: text('edit.basics'),
    invite: text(`edit.invite.${listing.kind}`),
    icon: text('edit.icon'),
    [sectionOf('vote')]: text('webhooks.titles.vote'),
    [sectionOf('premium')]: text('webhooks.titles.premium'),
    deliveries: text('edit.lastDeliveries'),
    ...(hasPurchases && { purchases: text('purchases.title') }),
    badge: text('edit.badge'),
    advanced: text('keys.advanced'),
  };
  return html`<nav class="contents" aria-label="${text('frame.contents')}">${Object.entries(sections).map(
    ([id, title]) => html`<a href="#${id}">${title}</a>`,
  )}</nav>`;
}

function secretHead(id: string, title: string, view: EditView): Html {
  const { newSecret, texts } = view;
  const notice =
    newSecret?.section === id &&
    html`<div class="notice good" role="status" id="${resultId}" tabindex="-1"><p>${texts.fill('edit.copyNow', { name: isolated(newSecret.name) })}</p>
  <p>${copyable(newSecret.secret, texts)}</p>
  ${newSecret.standard !== undefined && html`<p>${texts.text('webhooks.standardSecret')}<br>${copyable(newSecret.standard, texts)}</p>`}</div>`;
  return html`${sectionHead(id, title, view)}${notice}`;
}

function purchasesSection(orders: readonly Purchase[], texts: ServiceTexts): Html | null {
  const { text } = texts;
  if (orders.length === 0) return null;
  const buyerOf = ({ buyer, recipient }: Purchase) => {
    const name = isolated(buyer.username);
    return recipient === null
      ? name
      : texts.fill('purchases.gift', { buyer: name, recipient: isolated(recipient.username) });
  };
  return html`<section class="card" aria-labelledby="purchases"><h2 id="purchases">${text('purchases.title')}</h2>
<div class="scroll"><table><thead><tr><th>${text('purchases.buyer')}</th><th>${text('purchases.tier')}</th><th>${text('purchases.status')}</th><th>${text('purchases.until')}</th></tr></thead>
<tbody>${orders.map(
    (order) => html`<tr><td>${buyerOf(order)}</td>
  <td>${order.tier.name}, ${text(`purchases.durations.${order.tier.duration}`)}</td><td>${text(`purchases.states.${order.status}`)}</td>
  <td>${order.currentPeriodEnd === null ? text('purchases.durations.lifetime') : texts.dateTime(order.currentPeriodEnd)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function basicsSection(view: EditView): Html {
  const { listing, visitor, texts } = view;
  const { text } = texts;
  return html`<section class="card" aria-labelledby="basics">${sectionHead('basics', text('edit.basics'), view)}
<form class="stack" method="post" action="/dashboard/${listing.id}">${formTokenField(visitor)}
  <label>${text('create.name')} <input name="name" required maxlength="100" value="${listing.name}" dir="auto"></label>
  <label>${text('create.description')} <textarea name="description" maxlength="2000" rows="4" dir="auto">${listing.description}</textarea></label>
  <label>${text('edit.tags')} <input name="tags" maxlength="500" value="${listing.tags.join(', ')}" dir="auto">
    <span class="hint">${text('edit.tagsHint')}</span></label>
  ${categoryField(listing.categories, texts)}
  ${listing.kind === 'server' ? serverFields(listing.facts, texts) : botFields(listing.facts, texts)}
  <button>${text('edit.save')}</button>
</form></section>`;
}

function categoryField(chosen: readonly Category[], { text }: ServiceTexts): Html {
  return html`<fieldset class="choices"><legend>${text('edit.category')} <span class="hint">${text('edit.categoriesHint')}</span></legend>
  ${categories.map((name) => html`<label class="check"><input type="checkbox" name="categories" value="${name}"${chosen.includes(name) && html` checked`}> ${text(`listing.categories.${name}`)}</label>`)}</fieldset>`;
}

function serverFields({ rules }: ServerFacts, texts: ServiceTexts): Html {
  return html`<label>${texts.text('listing.rules')} <textarea name="rules" maxlength="4000" rows="5" dir="auto">${rules.join('\n')}</textarea>
    <span class="hint">${texts.text('edit.rulesHint')}</span></label>`;
}

function botFields({ servers, shards }: BotFacts, { fill, text }: ServiceTexts): Html {
  return html`<div class="fields"><label>${text('listing.servers')} <input type="number" name="servers" min="0" max="${maxServers}" required value="${servers}"></label>
  <label>${text('listing.shards')} <input type="number" name="shards" min="1" max="${maxShards}" required value="${Math.max(1, shards)}"></label></div>
  <p class="hint">${fill('edit.statsHint', { request: html`<code>POST ${apiBasePath}/bot/stats</code>` })}</p>`;
}

function iconSection(view: EditView): Html {
  const { listing, visitor } = view;
  const { text } = view.texts;
  const path = `/dashboard/${listing.id}/icon`;
  const token = formTokenField(visitor);
  return html`<section class="card" aria-labelledby="icon">${sectionHead('icon', text('edit.icon'), view)}
<div class="icon-form">${listingIcon(listing, 'large')}
  <div><form class="stack" method="post" action="${path}" enctype="multipart/form-data">${token}
    <label>${text('edit.picture')} <input type="file" name="icon" required accept="image/png,image/jpeg,image/webp,image/gif">
      <span class="hint">${text('edit.pictureHint')}</span></label>
    <button>${text('edit.upload')}</button>
  </form>
  ${listing.iconVersion !== null && html`<form class="line" method="post" action="${path}/remove">${token}<button class="plain danger">${text('edit.removeIcon')}</button></form>`}</div>
</div></section>`;
}

/** One family of webhooks in the dashboard (document, section 6: "a URL field … with a Test Webhook action"). */
function webhookSection(family: WebhookFamily, webhook: Webhook | null, view: EditView): Html {
  const { listing, visitor } = view;
  const { text } = view.texts;
  const path = `/dashboard/${listing.id}/webhooks/${family}`;
  const section = sectionOf(family);
  const token = formTokenField(visitor);
  const secretHint = webhook
    ? text('webhooks.unchanged', { end: webhook.secret.slice(-4) })
    : text('webhooks.generated');
  return html`<section class="card" aria-labelledby="${section}" data-family="${family}">
${secretHead(section, text(`webhooks.titles.${family}`), view)}
${webhook && health(webhook, path, view)}
<form class="stack" method="post" action="${path}#${resultId}">${token}
  <label>${text('webhooks.url')} <input type="url" name="url" required maxlength="500" placeholder="https://" value="${webhook?.url ?? ''}"></label>
  <label>${text('webhooks.secret')} <input type="password" name="secret" autocomplete="off" maxlength="200" placeholder="${secretHint}">
    <span class="hint">${text('webhooks.secretHint')}</span></label>
  <button>${text('edit.save')}</button>
</form>
${webhook && actions(webhook, path, view)}
</section>`;
}

function health(webhook: Webhook, path: string, view: EditView): Html {
  const { visitor, now, texts } = view;
  const { text } = texts;
  const { paused, failures, previous } = webhook;
  return html`${
    paused &&
    html`<div class="notice ${paused.by === 'owner' ? 'plain' : 'bad'}"><p>${pauseText(paused, failures, view)}</p>
  <form method="post" action="${path}/resume">${formTokenField(visitor)}<button>${text('webhooks.resume')}</button></form></div>`
  }
${!paused && failures > 0 && html`<p class="bad">${text('webhooks.failures', { count: failures })}</p>`}
${previous && previous.until > now && html`<p class="quiet">${texts.fill('webhooks.previousSecret', { time: texts.dateTime(previous.until) })}</p>`}`;
}

/** Why a webhook is paused. The reason is stored in English. */
function pauseText(paused: NonNullable<Webhook['paused']>, count: number, { texts, now }: EditView): Html {
  const time = texts.ago(paused.at, now);
  if (paused.by === 'owner') return texts.fill('webhooks.pausedByOwner', { time });
  if (paused.reason === goneReason) return texts.fill('webhooks.pausedGone', { time });
  return texts.fill('webhooks.pausedFailing', { count, time });
}

function actions({ paused }: Webhook, path: string, { visitor, texts: { fill, text } }: EditView): Html {
  const token = formTokenField(visitor);
  const flag = html`<code>test: true</code>`;
  return html`<div class="line">
  <form method="post" action="${path}/test">${token}<button class="second">${text('webhooks.test')}</button></form>
  <form method="post" action="${path}/rotate#${resultId}">${token}<button class="second">${text('webhooks.rotate')}</button></form>
  ${paused === null && html`<form method="post" action="${path}/pause">${token}<button class="second">${text('webhooks.pause')}</button></form>`}
  <form method="post" action="${path}/remove">${token}<button class="plain danger">${text('webhooks.remove')}</button></form>
</div>
<p class="quiet">${fill('webhooks.testHint', { flag })}</p>`;
}

/** The API keys of a listing. The document calls their place "advanced setup" (section 5). */
function keysSection(keys: readonly StoredKey[], view: EditView): Html {
  const { listing, visitor, now, texts, origin } = view;
  const { number, text } = texts;
  const path = `/dashboard/${listing.id}/keys`;
  return html`<section class="card" aria-labelledby="advanced">${secretHead('advanced', text('keys.advanced'), view)}
<h3>${text('keys.title')}</h3>
<p class="quiet">${text(`keys.hint.${listing.kind}`)}</p>
<p>${text('keys.address')} ${copyable(`${origin}${apiBasePath}`, texts)}</p>
${
  keys.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>${text('keys.name')}</th><th>${text('keys.key')}</th><th>${text('keys.created')}</th><th>${text('keys.lastUsed')}</th><td></td></tr></thead>
<tbody>${keys.map(
    (
      key,
    ) => html`<tr><td class="wrap">${isolated(key.label)}</td><td><code>…${key.hint}</code></td><td>${texts.ago(key.createdAt, now)}</td>
  <td>${key.lastUsedAt === null ? html`<span class="quiet">${text('keys.never')}</span>` : texts.ago(key.lastUsedAt, now)}</td>
  <td><a class="danger" href="${path}/${key.id}/revoke" aria-label="${text('keys.revokeNamed', { label: key.label })}">${text('keys.revoke')}</a></td></tr>`,
  )}</tbody></table></div>`
}
${
  keys.length >= maxKeys
    ? html`<p class="quiet">${text('keys.full', { number: number(keys.length) })}</p>`
    : html`<form class="line" method="post" action="${path}#${resultId}">${formTokenField(visitor)}
  <label>${text('keys.name')} <input name="label" required maxlength="60" value="${text('keys.defaultLabel')}"></label> <button>${text('keys.create')}</button>
</form>`
}</section>`;
}

export function revokePage(key: StoredKey, { listing, visitor, now, texts }: OwnerCall): Html {
  const { text } = texts;
  const end = html`<code>…${key.hint}</code>`;
  const usage =
    key.lastUsedAt === null
      ? texts.fill('keys.neverUsed', { end })
      : texts.fill('keys.usedLast', { end, time: texts.ago(key.lastUsedAt, now) });
  return html`<section class="card" aria-labelledby="revoke"><h2 id="revoke">${texts.fill('keys.revokeQuestion', { label: isolated(key.label) })}</h2>
<p>${usage} ${text('keys.revokeHint')}</p>
<form class="line" method="post" action="/dashboard/${listing.id}/keys/${key.id}/revoke">${formTokenField(visitor)}
  <button class="danger-solid">${text('keys.revokeTitle')}</button> <a href="/dashboard/${listing.id}#advanced">${text('frame.cancel')}</a></form></section>`;
}

/** @param check null if the members are not counted by the invite */
export function inviteSection(owned: OwnerCall, check: Awaited<ReturnType<typeof findInviteCheck>>): Html {
  const { listing, visitor, now, texts } = owned;
  const { text } = texts;
  const { problem = null, readAt = null } = check ?? {};
  return html`<section class="card" aria-labelledby="invite">${sectionHead('invite', text(`edit.invite.${listing.kind}`), owned)}
${problem !== null && html`<p class="bad">${text(`edit.lostInvite.${problem}`)}</p>`}
<form class="stack" method="post" action="/dashboard/${listing.id}/invite">${formTokenField(visitor)}
  <label>${text('edit.inviteAddress')} <input name="invite" maxlength="500" inputmode="url" autocomplete="off" value="${listing.invite ?? ''}">
    <span class="hint">${text(`edit.inviteHint.${listing.kind}`)}</span></label>
  <button>${text('edit.save')}</button>
</form>
${readAt !== null && html`<p class="quiet">${texts.fill('edit.membersRead', { time: texts.ago(readAt, now) })}</p>`}</section>`;
}

/** The badge that the owner embeds elsewhere, in the language in which the owner reads this. @param origin of the service */
export function badgeSection({ listing, texts }: OwnerCall, origin: string): Html {
  const { locale, text } = texts;
  const image = `${badgePath(listing)}?${languageParameter}=${locale}`;
  const page = origin + pagePath(listing);
  const title = texts.text('listing.voteFor', { name: listing.name });
  const snippets = {
    HTML: html`<a href="${page}"><img src="${origin}${image}" alt="${title}" height="28"></a>`.text,
    Markdown: `[![${title.replace(/[\\[\]`*_<>]/g, '\\$&')}](${origin}${image})](${page})`,
  };
  return html`<section class="card" aria-labelledby="badge"><h2 id="badge">${text('edit.badge')}</h2>
<p class="quiet">${text('edit.badgeHint')}</p>
<p><img src="${image}" alt="${title}" height="28"></p>
${Object.entries(snippets).map(([name, snippet]) => html`<p dir="ltr"><strong>${name}</strong><br>${copyable(snippet, texts)}</p>`)}</section>`;
}
