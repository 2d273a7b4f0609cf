import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Fragment, type Html, html } from '../../../platform/web/html.ts';
import { dateTime } from '../../../platform/web/time-element.ts';
import type { Ban } from '../../abuse/bans.ts';
import type { moderationLog } from '../../abuse/moderation-log.ts';
import type { UnpublishedListing } from '../../abuse/moderation-queue.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';
import { listingForm, nameOf } from './queue-page.ts';

const pages = {
  '/moderation': 'Queue',
  '/moderation/listings': 'Hidden listings',
  '/moderation/members': 'Bans',
  '/moderation/log': 'Log',
} as const;

export type ModerationPath = keyof typeof pages;

/** A page with the navigation of moderation. */
export function moderationPage(path: ModerationPath, body: Fragment): Html {
  const links = Object.entries(pages).map(
    ([href, name]) => html`<a href="${href}"${href === path && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<h1>Moderation</h1>
<nav class="tabs" aria-label="Moderation">${links}</nav>
${body}`;
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
