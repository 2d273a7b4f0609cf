import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Fragment, type Html, html } from '../../../platform/web/html.ts';
import type { Ban, moderationLog } from '../../abuse/moderate.ts';
import { type QueueItem, reasonText, type UnpublishedListing } from '../../abuse/reports.ts';
import { pagePath } from '../../listing/listing.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { isolated } from '../listing-parts.ts';
import type { PageCall } from '../page-routes.ts';

export type ModerationPath = keyof ServiceTexts['moderation']['pages'];

type Call = Pick<PageCall, 'visitor' | 'now' | 'texts'>;

export function moderationPage(path: ModerationPath, body: Fragment, { frame, moderation }: ServiceTexts): Html {
  const links = Object.entries(moderation.pages).map(
    ([href, name]) => html`<a href="${href}"${href === path && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<h1>${frame.moderation}</h1>
<nav class="tabs" aria-label="${frame.moderation}">${links}</nav>
${body}`;
}

export function hiddenListingsPage(listings: readonly UnpublishedListing[], call: Call): Html {
  const words = call.texts.moderation;
  return html`<form class="card stack" method="post" action="/moderation/listings">${formTokenField(call.visitor)}
  <h2>${words.actions['hide-listing']}</h2>
  <label>${words.listingId} <input name="listingId" required inputmode="numeric" pattern="[0-9]{1,20}"></label>
  <label>${words.ownerReason} <input name="reason" required maxlength="300"></label>
  <button name="action" value="hide">${words.actions['hide-listing']}</button>
</form>
<h2>${words.pages['/moderation/listings']}</h2>
${listings.length === 0 && html`<p class="quiet">${words.noHidden}</p>`}
${listings.map(
  (listing) => html`<article class="card stack"><h3>${isolated(listing.name)}</h3>
<p class="quiet">${identityOf(listing, call.texts)}</p>
<p>${isolated(listing.reason ?? '')}</p>${listingForm(listing.id, call, words.changeReason)}</article>`,
)}`;
}

export function bansPage(bans: readonly (Ban & { readonly username: string | null })[], call: Call): Html {
  const { visitor, texts } = call;
  const { moderation: words, report, signIn } = texts;
  return html`<form class="card stack" method="post" action="/moderation/members">${formTokenField(visitor)}
  <h2>${words.actions['ban-member']}</h2>
  <p class="quiet">${words.banHint}</p>
  <label>${words.memberId} <input name="userId" required inputmode="numeric" pattern="[0-9]{1,20}"></label>
  <label>${report.reason} <input name="reason" required maxlength="300"></label>
  <button name="action" value="ban">${words.actions['ban-member']}</button>
</form>
<h2>${words.pages['/moderation/members']}</h2>
${bans.length === 0 && html`<p class="quiet">${words.noBans}</p>`}
${
  bans.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>${signIn.member}</th><th>${report.reason}</th><th>${words.time}</th><td></td></tr></thead>
<tbody>${bans.map(
    (
      ban,
    ) => html`<tr><td id="member-${ban.userId}">${memberName(ban.username, ban.userId, texts)}</td><td class="wrap">${isolated(ban.reason)}</td><td>${texts.dateTime(ban.bannedAt)}</td>
  <td><form method="post" action="/moderation/members">${formTokenField(visitor)}<input type="hidden" name="userId" value="${ban.userId}"><button class="plain" name="action" value="lift" id="lift-${ban.userId}" aria-labelledby="lift-${ban.userId} member-${ban.userId}">${words.actions['lift-ban']}</button></form></td></tr>`,
  )}</tbody></table></div>`
}`;
}

export function logPage(entries: Awaited<ReturnType<typeof moderationLog>>, texts: ServiceTexts): Html {
  const { moderation: words, yourData, signIn, report } = texts;
  if (entries.length === 0) return html`<p class="quiet">${words.noActions}</p>`;
  const actions = new Map<string, string>(Object.entries(words.actions));
  const columns = [words.time, words.operator, words.action, yourData.listing, signIn.member, report.reason];
  return html`<div class="scroll"><table><thead><tr>${columns.map((name) => html`<th>${name}</th>`)}</tr></thead>
<tbody>${entries.map(
    (entry) => html`<tr><td>${texts.dateTime(entry.at)}</td><td>${nameOf(entry.operatorName, entry.operatorId)}</td>
  <td>${actions.get(entry.action) ?? entry.action}</td><td>${entry.listingId && html`<code>${entry.listingId}</code>`}</td>
  <td>${entry.userId && html`${nameOf(entry.username, '')} <code>${entry.userId}</code>`}</td><td class="wrap">${isolated(entry.reason)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** @param nextPage of the reports; null on the last */
export function queuePage(
  pending: readonly UnpublishedListing[],
  items: readonly QueueItem[],
  nextPage: number | null,
  call: Call,
): Html {
  const { moderation: words, frame } = call.texts;
  return html`<section aria-labelledby="pending"><h2 id="pending">${words.pending}</h2>
${pending.length === 0 && html`<p class="quiet">${words.noPending}</p>`}
${pending.map((listing) => pendingListing(listing, call))}</section>
<section aria-labelledby="reports"><h2 id="reports">${words.reports}</h2>
${items.length === 0 && html`<p class="quiet">${words.noReports}</p>`}
${items.map((item) => reportedItem(item, call))}
${nextPage !== null && html`<p><a class="button second" rel="next" href="/moderation?page=${nextPage}">${frame.next}</a></p>`}</section>`;
}

function pendingListing(listing: UnpublishedListing, call: Call): Html {
  return html`<article class="card stack" aria-labelledby="pending-${listing.id}">
<h3 id="pending-${listing.id}">${isolated(listing.name)}</h3>
<p class="quiet">${identityOf(listing, call.texts)} · ${call.texts.ago(listing.createdAt, call.now)}</p>
<p class="comment">${isolated(listing.description)}</p>
${listingForm(listing.id, call, call.texts.moderation.reject)}
</article>`;
}

function identityOf({ kind, id, ownerName, ownerId }: UnpublishedListing, texts: ServiceTexts): Html {
  return html`${texts.listing.kinds[kind]} <code>${id}</code> · ${memberName(ownerName, ownerId, texts)}`;
}

/** Publishes or hides one listing. Two forms, so that Enter after the reason does not publish. */
function listingForm(listingId: string, { visitor, texts: { moderation: words } }: Call, hide: string): Html {
  const hidden = html`${formTokenField(visitor)}<input type="hidden" name="listingId" value="${listingId}">`;
  return html`<div class="line">
  <form method="post" action="/moderation/listings">${hidden}<button name="action" value="publish">${words.actions['publish-listing']}</button></form>
  <form class="line" method="post" action="/moderation/listings">${hidden}
    <label>${words.ownerReason} <input name="reason" required maxlength="300"></label>
    <button class="second danger" name="action" value="hide">${hide}</button></form>
</div>`;
}

function reportedItem(item: QueueItem, call: Call): Html {
  const { target, total, reports, listing } = item;
  const { texts, now } = call;
  const { yourData, dashboard, moderation: words } = texts;
  const id = `report-${target.listingId}-${target.reviewUserId}`;
  const title = nameOf(listing?.name ?? null, target.listingId);
  const about = target.kind === 'review' ? yourData.aReviewOf : yourData.theListing;
  return html`<article class="card stack" aria-labelledby="${id}">
<h3 id="${id}">${texts.fill(about, { listing: listing ? html`<a href="${pagePath(listing)}">${title}</a>` : title })}</h3>
<p class="quiet">${texts.plainCount(texts.counts.reports, total)}${listing && listing.state !== 'published' && ` · ${dashboard.states[listing.state]}`}</p>
${currentText(item, texts)}
<ul class="reports">${reports.map(
    (
      report,
    ) => html`<li><p>${reasonText(report.reason, texts)} · ${memberName(report.reporterName, report.reporterId, texts)} · ${texts.ago(report.createdAt, now)}</p>
  ${report.text !== '' && html`<p class="comment">${isolated(report.text)}</p>`}
  ${report.reportedText !== textNow(item) && html`<details><summary>${words.whenReported}</summary><p class="comment">${isolated(report.reportedText)}</p></details>`}</li>`,
  )}</ul>
${total > reports.length && html`<p class="quiet">${texts.plain(texts.reviews.shown, { shown: texts.number(reports.length), total: texts.number(total) })}</p>`}
${targetForm(item, call)}
</article>`;
}

/** A name that people chose, or what to show if it is unknown. */
function nameOf(name: string | null, otherwise: string): Html | string {
  return name === null ? otherwise : isolated(name);
}

function memberName(name: string | null, id: string, { frame }: ServiceTexts): Html {
  return html`${nameOf(name, frame.aMember)} <code>${id}</code>`;
}

function textNow({ target, listing, review }: QueueItem): string | null {
  if (target.kind === 'review') return review?.comment ?? null;
  return listing && `${listing.name}\n${listing.description}`;
}

function currentText({ target, listing, review }: QueueItem, texts: ServiceTexts): Html {
  const { moderation: words, counts } = texts;
  if (target.kind === 'listing') {
    return listing
      ? html`<p class="comment">${isolated(listing.description)}</p>`
      : html`<p>${words.listingDeleted}</p>`;
  }
  const author = html`<code>${target.reviewUserId}</code>`;
  if (review === null) return html`<p>${texts.fill(words.reviewDeleted, { id: author })}</p>`;
  return html`<p class="quiet">${isolated(review.username)} ${author} · ${texts.plainCount(counts.stars, review.rating)}</p>
<blockquote class="comment">${isolated(review.comment)}</blockquote>`;
}

function targetForm({ target, listing, review }: QueueItem, { visitor, texts }: Call): Html {
  const { moderation: words, report } = texts;
  const { actions } = words;
  return html`<form class="line" method="post" action="/moderation/reports">${formTokenField(visitor)}
  <input type="hidden" name="kind" value="${target.kind}">
  <input type="hidden" name="listingId" value="${target.listingId}">
  <input type="hidden" name="reviewUserId" value="${target.reviewUserId}">
  <label>${report.reason} <input name="reason" maxlength="300"></label>
  <button name="action" value="dismiss">${actions['dismiss-reports']}</button>
  ${review && html`<button class="second danger" name="action" value="remove-review">${actions['remove-review']}</button>`}
  ${target.kind === 'review' && html`<button class="second danger" name="action" value="ban">${review ? words.removeAndBan : actions['ban-member']}</button>`}
  ${target.kind === 'listing' && listing && html`<button class="second danger" name="action" value="hide-listing">${actions['hide-listing']}</button>`}
</form>`;
}
