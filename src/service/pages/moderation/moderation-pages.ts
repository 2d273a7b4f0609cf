import { formatCount } from '../../../platform/durations.ts';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Fragment, type Html, html } from '../../../platform/web/html.ts';
import { dateTime, timeAgo } from '../../../platform/web/time-element.ts';
import type { Ban, moderationLog } from '../../abuse/moderate.ts';
import type { QueueItem, UnpublishedListing } from '../../abuse/moderation-queue.ts';
import { reasonText } from '../../abuse/reports.ts';
import { pagePath } from '../../listing/listing.ts';
import { englishTexts } from '../../texts/texts.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';

const pages = {
  '/moderation': 'Queue',
  '/moderation/listings': 'Hidden listings',
  '/moderation/members': 'Bans',
  '/moderation/log': 'Log',
} as const;

export type ModerationPath = keyof typeof pages;

/** A page with the navigation of moderation. All of it is in English, for operators. */
export function moderationPage(path: ModerationPath, body: Fragment): Html {
  const links = Object.entries(pages).map(
    ([href, name]) => html`<a href="${href}"${href === path && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<div lang="en"><h1>Moderation</h1>
<nav class="tabs" aria-label="Moderation">${links}</nav>
${body}</div>`;
}

export function hiddenListingsPage(listings: readonly UnpublishedListing[], visitor: Visitor): Html {
  return html`<form class="card stack" method="post" action="/moderation/listings">${formTokenField(visitor)}
  <h2>Hide a listing</h2>
  <label>Discord id of the server or bot <input name="listingId" required inputmode="numeric" pattern="[0-9]{1,20}"></label>
  <label>Reason for the owner <input name="reason" required maxlength="300"></label>
  <button name="action" value="hide">Hide</button>
</form>
<h2>Hidden listings</h2>
${listings.length === 0 && html`<p class="quiet">No listing is hidden.</p>`}
${listings.map(
  (listing) => html`<article class="card stack"><h3>${isolated(listing.name)}</h3>
<p class="quiet"><code>${listing.id}</code> of ${nameOf(listing.ownerName, 'an unknown member')} <code>${listing.ownerId}</code></p>
<p>${isolated(listing.reason ?? '')}</p>${listingForm(listing.id, visitor, 'Change reason')}</article>`,
)}`;
}

export function bansPage(bans: readonly (Ban & { readonly username: string | null })[], visitor: Visitor): Html {
  return html`<form class="card stack" method="post" action="/moderation/members">${formTokenField(visitor)}
  <h2>Ban a member</h2>
  <p class="quiet">A banned member can sign in, but cannot vote, review, report, reply, or add and edit listings. The member sees the reason. The listings of the member stay: hide them as well if they must go.</p>
  <label>Discord id of the member <input name="userId" required inputmode="numeric" pattern="[0-9]{1,20}"></label>
  <label>Reason <input name="reason" required maxlength="300"></label>
  <button name="action" value="ban">Ban</button>
</form>
<h2>Bans</h2>
${bans.length === 0 && html`<p class="quiet">Nobody is banned.</p>`}
${
  bans.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>Member</th><th>Reason</th><th>Since</th><td></td></tr></thead>
<tbody>${bans.map(
    (
      ban,
    ) => html`<tr><td>${nameOf(ban.username, 'A member')} <code>${ban.userId}</code></td><td class="wrap">${isolated(ban.reason)}</td><td>${dateTime(ban.bannedAt)}</td>
  <td><form method="post" action="/moderation/members">${formTokenField(visitor)}<input type="hidden" name="userId" value="${ban.userId}"><button class="plain" name="action" value="lift" aria-label="Lift the ban of ${ban.username ?? ban.userId}">Lift</button></form></td></tr>`,
  )}</tbody></table></div>`
}`;
}

const actionTexts: Readonly<Record<string, string>> = {
  'dismiss-reports': 'dismissed reports',
  'remove-review': 'removed a review',
  'hide-listing': 'hid a listing',
  'publish-listing': 'published a listing',
  'ban-member': 'banned a member',
  'lift-ban': 'lifted a ban',
};

export function logPage(entries: Awaited<ReturnType<typeof moderationLog>>): Html {
  if (entries.length === 0) return html`<p class="quiet">No operator has done anything yet.</p>`;
  return html`<div class="scroll"><table><thead><tr><th>Time</th><th>Operator</th><th>Action</th><th>Listing</th><th>Member</th><th>Reason</th></tr></thead>
<tbody>${entries.map(
    (entry) => html`<tr><td>${dateTime(entry.at)}</td><td>${nameOf(entry.operatorName, entry.operatorId)}</td>
  <td>${actionTexts[entry.action] ?? entry.action}</td><td>${entry.listingId && html`<code>${entry.listingId}</code>`}</td>
  <td>${entry.userId && html`${nameOf(entry.username, '')} <code>${entry.userId}</code>`}</td><td class="wrap">${isolated(entry.reason)}</td></tr>`,
  )}</tbody></table></div>`;
}

interface QueueView {
  readonly visitor: Visitor;
  readonly pending: readonly UnpublishedListing[];
  readonly items: readonly QueueItem[];
  /** The number of the next page of reports; null on the last. */
  readonly nextPage: number | null;
  readonly now: number;
}

export function queuePage({ visitor, pending, items, nextPage, now }: QueueView): Html {
  return html`<section aria-labelledby="pending"><h2 id="pending">Waiting for approval</h2>
${pending.length === 0 && html`<p class="quiet">No listing waits for approval.</p>`}
${pending.map((listing) => pendingListing(listing, visitor, now))}</section>
<section aria-labelledby="reports"><h2 id="reports">Reports</h2>
${items.length === 0 && html`<p class="quiet">There are no open reports.</p>`}
${items.map((item) => reportedItem(item, visitor, now))}
${nextPage !== null && html`<p><a href="/moderation?page=${nextPage}">More reports</a></p>`}</section>`;
}

function pendingListing(listing: UnpublishedListing, visitor: Visitor, now: number): Html {
  return html`<article class="card stack" aria-labelledby="pending-${listing.id}">
<h3 id="pending-${listing.id}">${isolated(listing.name)}</h3>
<p class="quiet">${listing.kind === 'bot' ? 'Bot' : 'Server'} <code>${listing.id}</code>, added ${timeAgo(listing.createdAt, now)} by ${nameOf(listing.ownerName, 'an unknown member')} <code>${listing.ownerId}</code></p>
<p class="comment">${isolated(listing.description)}</p>
${listingForm(listing.id, visitor)}
</article>`;
}

/** Publishes or hides one listing. Two forms, so that Enter after the reason does not publish. */
function listingForm(listingId: string, visitor: Visitor, hide = 'Reject'): Html {
  const hidden = html`${formTokenField(visitor)}<input type="hidden" name="listingId" value="${listingId}">`;
  return html`<div class="line">
  <form method="post" action="/moderation/listings">${hidden}<button name="action" value="publish">Publish</button></form>
  <form class="line" method="post" action="/moderation/listings">${hidden}
    <label>Reason for the owner <input name="reason" required maxlength="300"></label>
    <button class="second danger" name="action" value="hide">${hide}</button></form>
</div>`;
}

function reportedItem(item: QueueItem, visitor: Visitor, now: number): Html {
  const { target, total, reports, listing } = item;
  const id = `report-${target.listingId}-${target.reviewUserId}`;
  const title = nameOf(listing?.name ?? null, target.listingId);
  return html`<article class="card stack" aria-labelledby="${id}">
<h3 id="${id}">${target.kind === 'review' ? 'Review of' : 'Listing'} ${listing ? html`<a href="${pagePath(listing)}">${title}</a>` : title}</h3>
<p class="quiet">${formatCount(total, 'report')}${listing && listing.state !== 'published' && `, ${listing.state}`}</p>
${currentText(item)}
<ul class="reports">${reports.map(
    (
      report,
    ) => html`<li><p>${reasonText(report.reason, englishTexts())} · ${nameOf(report.reporterName, 'A member')} <code>${report.reporterId}</code> · ${timeAgo(report.createdAt, now)}</p>
  ${report.text !== '' && html`<p class="comment">${isolated(report.text)}</p>`}
  ${report.reportedText !== textNow(item) && html`<details><summary>When it was reported</summary><p class="comment">${isolated(report.reportedText)}</p></details>`}</li>`,
  )}</ul>
${total > reports.length && html`<p class="quiet">And ${formatCount(total - reports.length, 'more report', 'more reports')}.</p>`}
${targetForm(item, visitor)}
</article>`;
}

/** A name that people chose, or what to show if it is unknown. */
function nameOf(name: string | null, otherwise: string): Html | string {
  return name === null ? otherwise : isolated(name);
}

function textNow({ target, listing, review }: QueueItem): string | null {
  if (target.kind === 'review') return review?.comment ?? null;
  return listing && `${listing.name}\n${listing.description}`;
}

function currentText({ target, listing, review }: QueueItem): Html {
  if (target.kind === 'listing') {
    return listing
      ? html`<p class="comment">${isolated(listing.description)}</p>`
      : html`<p>This listing was deleted.</p>`;
  }
  if (review === null) return html`<p>The review was deleted. Its author was <code>${target.reviewUserId}</code>.</p>`;
  return html`<p class="quiet">${isolated(review.username)} <code>${target.reviewUserId}</code>, ${formatCount(review.rating, 'star')}</p>
<blockquote class="comment">${isolated(review.comment)}</blockquote>`;
}

function targetForm({ target, listing, review }: QueueItem, visitor: Visitor): Html {
  return html`<form class="line" method="post" action="/moderation/reports">${formTokenField(visitor)}
  <input type="hidden" name="kind" value="${target.kind}">
  <input type="hidden" name="listingId" value="${target.listingId}">
  <input type="hidden" name="reviewUserId" value="${target.reviewUserId}">
  <label>Reason <input name="reason" maxlength="300"></label>
  <button name="action" value="dismiss">Dismiss</button>
  ${review && html`<button class="second danger" name="action" value="remove-review">Remove review</button>`}
  ${target.kind === 'review' && html`<button class="second danger" name="action" value="ban">${review ? 'Remove review and ban member' : 'Ban member'}</button>`}
  ${target.kind === 'listing' && listing && html`<button class="second danger" name="action" value="hide-listing">Hide listing</button>`}
</form>`;
}
