import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Fragment, type Html, html } from '@tallyhook/platform/web/html';
import type { Ban, moderationLog } from '../../abuse/moderate.ts';
import { type QueueItem, reasonText, type UnpublishedListing } from '../../abuse/reports.ts';
import { pagePath } from '../../listing/listing.ts';
import { type ServiceTextIn, type ServiceTexts, serviceNamesIn } from '../../texts/texts.ts';
import { isolated } from '../listing-parts.ts';
import type { PageCall } from '../page-routes.ts';

export type ModerationPath = ServiceTextIn<'moderation.pages'>;

type Call = Pick<PageCall, 'visitor' | 'now' | 'texts'>;

export function moderationPage(path: ModerationPath, body: Fragment, { text }: ServiceTexts): Html {
  const links = serviceNamesIn('moderation.pages').map(
    (href) =>
      html`<a href="${href}"${href === path && html` aria-current="page"`}>${text(`moderation.pages.${href}`)}</a>`,
  );
  return html`<h1>${text('frame.moderation')}</h1>
<nav class="tabs" aria-label="${text('frame.moderation')}">${links}</nav>
${body}`;
}

export function hiddenListingsPage(listings: readonly UnpublishedListing[], call: Call): Html {
  const { text } = call.texts;
  return html`<form class="card stack" method="post" action="/moderation/listings">${formTokenField(call.visitor)}
  <h2>${text('moderation.actions.hide-listing')}</h2>
  <label>${text('moderation.listingId')} <input name="listingId" required inputmode="numeric" pattern="[0-9]{1,20}"></label>
  <label>${text('moderation.ownerReason')} <input name="reason" required maxlength="300"></label>
  <button name="action" value="hide">${text('moderation.actions.hide-listing')}</button>
</form>
<h2>${text('moderation.pages./moderation/listings')}</h2>
${listings.length === 0 && html`<p class="quiet">${text('moderation.noHidden')}</p>`}
${listings.map(
  (listing) => html`<article class="card stack"><h3>${isolated(listing.name)}</h3>
<p class="quiet">${identityOf(listing, call.texts)}</p>
<p>${isolated(listing.reason ?? '')}</p>${listingForm(listing.id, call, text('moderation.changeReason'))}</article>`,
)}`;
}

export function bansPage(bans: readonly (Ban & { readonly username: string | null })[], call: Call): Html {
  const { visitor, texts } = call;
  const { text } = texts;
  return html`<form class="card stack" method="post" action="/moderation/members">${formTokenField(visitor)}
  <h2>${text('moderation.actions.ban-member')}</h2>
  <p class="quiet">${text('moderation.banHint')}</p>
  <label>${text('moderation.memberId')} <input name="userId" required inputmode="numeric" pattern="[0-9]{1,20}"></label>
  <label>${text('report.reason')} <input name="reason" required maxlength="300"></label>
  <button name="action" value="ban">${text('moderation.actions.ban-member')}</button>
</form>
<h2>${text('moderation.pages./moderation/members')}</h2>
${bans.length === 0 && html`<p class="quiet">${text('moderation.noBans')}</p>`}
${
  bans.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>${text('signIn.member')}</th><th>${text('report.reason')}</th><th>${text('moderation.time')}</th><td></td></tr></thead>
<tbody>${bans.map(
    (
      ban,
    ) => html`<tr><td id="member-${ban.userId}">${memberName(ban.username, ban.userId, texts)}</td><td class="wrap">${isolated(ban.reason)}</td><td>${texts.dateTime(ban.bannedAt)}</td>
  <td><form method="post" action="/moderation/members">${formTokenField(visitor)}<input type="hidden" name="userId" value="${ban.userId}"><button class="plain" name="action" value="lift" id="lift-${ban.userId}" aria-labelledby="lift-${ban.userId} member-${ban.userId}">${text('moderation.actions.lift-ban')}</button></form></td></tr>`,
  )}</tbody></table></div>`
}`;
}

export function logPage(entries: Awaited<ReturnType<typeof moderationLog>>, texts: ServiceTexts): Html {
  const { text } = texts;
  if (entries.length === 0) return html`<p class="quiet">${text('moderation.noActions')}</p>`;
  const actions = new Map<string, string>(
    serviceNamesIn('moderation.actions').map((action) => [action, text(`moderation.actions.${action}`)]),
  );
  const columns = [
    text('moderation.time'),
    text('moderation.operator'),
    text('moderation.action'),
    text('yourData.listing'),
    text('signIn.member'),
    text('report.reason'),
  ];
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
  const { text } = call.texts;
  return html`<section aria-labelledby="pending"><h2 id="pending">${text('moderation.pending')}</h2>
${pending.length === 0 && html`<p class="quiet">${text('moderation.noPending')}</p>`}
${pending.map((listing) => pendingListing(listing, call))}</section>
<section aria-labelledby="reports"><h2 id="reports">${text('moderation.reports')}</h2>
${items.length === 0 && html`<p class="quiet">${text('moderation.noReports')}</p>`}
${items.map((item) => reportedItem(item, call))}
${nextPage !== null && html`<p><a class="button second" rel="next" href="/moderation?page=${nextPage}">${text('frame.next')}</a></p>`}</section>`;
}

function pendingListing(listing: UnpublishedListing, call: Call): Html {
  return html`<article class="card stack" aria-labelledby="pending-${listing.id}">
<h3 id="pending-${listing.id}">${isolated(listing.name)}</h3>
<p class="quiet">${identityOf(listing, call.texts)} · ${call.texts.ago(listing.createdAt, call.now)}</p>
<p class="comment">${isolated(listing.description)}</p>
${listingForm(listing.id, call, call.texts.text('moderation.reject'))}
</article>`;
}

function identityOf({ kind, id, ownerName, ownerId }: UnpublishedListing, texts: ServiceTexts): Html {
  return html`${texts.text(`listing.kinds.${kind}`)} <code>${id}</code> · ${memberName(ownerName, ownerId, texts)}`;
}

/** Publishes or hides one listing. Two forms, so that Enter after the reason does not publish. */
function listingForm(listingId: string, { visitor, texts: { text } }: Call, hide: string): Html {
  const hidden = html`${formTokenField(visitor)}<input type="hidden" name="listingId" value="${listingId}">`;
  return html`<div class="line">
  <form method="post" action="/moderation/listings">${hidden}<button name="action" value="publish">${text('moderation.actions.publish-listing')}</button></form>
  <form class="line" method="post" action="/moderation/listings">${hidden}
    <label>${text('moderation.ownerReason')} <input name="reason" required maxlength="300"></label>
    <button class="second danger" name="action" value="hide">${hide}</button></form>
</div>`;
}

function reportedItem(item: QueueItem, call: Call): Html {
  const { target, total, reports, listing } = item;
  const { texts, now } = call;
  const { text } = texts;
  const id = `report-${target.listingId}-${target.reviewUserId}`;
  const title = nameOf(listing?.name ?? null, target.listingId);
  const about = target.kind === 'review' ? 'yourData.aReviewOf' : 'yourData.theListing';
  return html`<article class="card stack" aria-labelledby="${id}">
<h3 id="${id}">${texts.fill(about, { listing: listing ? html`<a href="${pagePath(listing)}">${title}</a>` : title })}</h3>
<p class="quiet">${texts.text('counts.reports', { count: total })}${listing && listing.state !== 'published' && ` · ${text(`dashboard.states.${listing.state}`)}`}</p>
${currentText(item, texts)}
<ul class="reports">${reports.map(
    (
      report,
    ) => html`<li><p>${reasonText(report.reason, texts)} · ${memberName(report.reporterName, report.reporterId, texts)} · ${texts.ago(report.createdAt, now)}</p>
  ${report.text !== '' && html`<p class="comment">${isolated(report.text)}</p>`}
  ${report.reportedText !== textNow(item) && html`<details><summary>${text('moderation.whenReported')}</summary><p class="comment">${isolated(report.reportedText)}</p></details>`}</li>`,
  )}</ul>
${total > reports.length && html`<p class="quiet">${texts.text('reviews.shown', { shown: texts.number(reports.length), total: texts.number(total) })}</p>`}
${targetForm(item, call)}
</article>`;
}

/** A name that people chose, or what to show if it is unknown. */
function nameOf(name: string | null, otherwise: string): Html | string {
  return name === null ? otherwise : isolated(name);
}

function memberName(name: string | null, id: string, { text }: ServiceTexts): Html {
  return html`${nameOf(name, text('frame.aMember'))} <code>${id}</code>`;
}

function textNow({ target, listing, review }: QueueItem): string | null {
  if (target.kind === 'review') return review?.comment ?? null;
  return listing && `${listing.name}\n${listing.description}`;
}

function currentText({ target, listing, review }: QueueItem, texts: ServiceTexts): Html {
  const { text } = texts;
  if (target.kind === 'listing') {
    return listing
      ? html`<p class="comment">${isolated(listing.description)}</p>`
      : html`<p>${text('moderation.listingDeleted')}</p>`;
  }
  const author = html`<code>${target.reviewUserId}</code>`;
  if (review === null) return html`<p>${texts.fill('moderation.reviewDeleted', { id: author })}</p>`;
  return html`<p class="quiet">${isolated(review.username)} ${author} · ${text('counts.stars', { count: review.rating })}</p>
<blockquote class="comment">${isolated(review.comment)}</blockquote>`;
}

function targetForm({ target, listing, review }: QueueItem, { visitor, texts }: Call): Html {
  const { text } = texts;

  return html`<form class="line" method="post" action="/moderation/reports">${formTokenField(visitor)}
  <input type="hidden" name="kind" value="${target.kind}">
  <input type="hidden" name="listingId" value="${target.listingId}">
  <input type="hidden" name="reviewUserId" value="${target.reviewUserId}">
  <label>${text('report.reason')} <input name="reason" maxlength="300"></label>
  <button name="action" value="dismiss">${text('moderation.actions.dismiss-reports')}</button>
  ${review && html`<button class="second danger" name="action" value="remove-review">${text('moderation.actions.remove-review')}</button>`}
  ${target.kind === 'review' && html`<button class="second danger" name="action" value="ban">${review ? text('moderation.removeAndBan') : text('moderation.actions.ban-member')}</button>`}
  ${target.kind === 'listing' && listing && html`<button class="second danger" name="action" value="hide-listing">${text('moderation.actions.hide-listing')}</button>`}
</form>`;
}
