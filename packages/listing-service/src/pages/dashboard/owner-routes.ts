import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { z } from 'zod';
import { maxListingsOfOwner } from '../../actions/create-listing.ts';
import type { Database } from '../../storage/database.ts';
import {
  addCoOwner,
  type CoOwner,
  coOwnersOf,
  maxCoOwners,
  removeCoOwner,
  transferListing,
} from '../../storage/listings/co-owners.ts';
import { findMember } from '../../storage/members/members.ts';
import { PageError } from '../../texts/page-error.ts';
import { problem, readForm } from '../forms.ts';
import { isolated } from '../listing-parts.ts';
import { type OwnerCall, type PageDependencies, pageNotFound } from '../page-routes.ts';
import { resultAt, sectionHead } from '../render-page.ts';
import { type Dashboard, requireOwner } from './dashboard.ts';

const memberForm = z.object({ userId: z.string().trim().regex(snowflakePattern, problem('snowflake')) });

/** The members who may edit a listing, and the forms with which its owner decides it. */
export function addOwnerRoutes(dashboard: Dashboard, { database }: PageDependencies): void {
  dashboard.page(
    '/owners',
    ({ text }) => text('dashboard.tabs.owners'),
    (call) => ownersPage(database, call),
  );

  dashboard.form('/owners', 'edit', async (call) => {
    const result = await addCoOwner(database, changeOf(call), call.now);
    if (result === 'unknown') throw new PageError(404, ({ text }) => text('errors.unknownCoOwner'));
    if (result === 'has-access') throw new PageError(409, ({ text }) => text('errors.coOwnerAlready'));
    if (result === 'too-many') throw tooManyCoOwners();
    if (result === 'not-owner') throw pageNotFound();
    return `/owners${resultAt('owners', 'co-owner-added')}`;
  });

  dashboard.form('/owners/remove', null, async (call) => {
    const { listingId, userId } = changeOf(call);
    if (!(await removeCoOwner(database, listingId, userId))) throw pageNotFound();
    return `/owners${resultAt('owners', 'co-owner-removed')}`;
  });

  dashboard.form('/owners/transfer', 'edit', async (call) => {
    const limits = { now: call.now, maxListings: maxListingsOfOwner };
    const result = await transferListing(database, changeOf(call), limits);
    if (result === 'too-many') {
      const max = maxListingsOfOwner;
      throw new PageError(409, ({ number, text }) => text('errors.tooManyListings', { max: number(max) }));
    }
    if (result !== 'transferred') throw pageNotFound();
    return `/owners${resultAt('owners', 'transferred')}`;
  });

  dashboard.form('/owners/leave', null, async ({ listing, visitor, response }) => {
    if (!(await removeCoOwner(database, listing.id, visitor.userId))) throw pageNotFound();
    response.redirect(303, '/dashboard?notice=left-listing');
    return null;
  });
}

/** @throws PageError 400 or 403 */
function changeOf(call: OwnerCall) {
  requireOwner(call);
  const { listing, visitor } = call;
  return { listingId: listing.id, ownerId: visitor.userId, ...readForm(memberForm, call.request.body) };
}

function tooManyCoOwners(): PageError {
  return new PageError(409, ({ number, text }) => text('errors.tooManyCoOwners', { max: number(maxCoOwners) }));
}

async function ownersPage(database: Database, call: OwnerCall): Promise<Html> {
  const { listing, role, texts } = call;
  const { text } = texts;
  const owner = await findMember(database, listing.ownerId);
  const coOwners = await coOwnersOf(database, listing.id);
  return html`<section class="card" aria-labelledby="owners">${sectionHead('owners', text('dashboard.tabs.owners'), call)}
<p>${text(role === 'owner' ? 'owners.hint' : 'owners.coOwnersHint')}</p>
<ul class="members"><li><span>${nameOf(owner?.username ?? null, call)}</span> <span class="mark">${text('owners.owner')}</span></li>
${coOwners.map((coOwner) => html`<li><span>${nameOf(coOwner.username, call)}</span> <span class="mark">${text('owners.coOwner')}</span> ${removal(coOwner, call)}</li>`)}</ul>
${role === 'owner' && coOwners.length > 0 && html`<p class="quiet">${text('owners.removeHint')}</p>`}
${role === 'owner' && addForm(coOwners.length, call)}</section>
${role === 'owner' && coOwners.length > 0 && transferSection(coOwners, call)}`;
}

function nameOf(username: string | null, { texts }: OwnerCall): Html | string {
  return username === null ? texts.text('frame.aMember') : isolated(username);
}

/** The owner removes any co-owner, and a co-owner nobody else. */
function removal({ userId, username }: CoOwner, { listing, role, visitor, texts: { text } }: OwnerCall): Html | null {
  const path = `/dashboard/${listing.id}/owners`;
  const token = formTokenField(visitor);
  if (role === 'owner') {
    const label = text('owners.removeNamed', { name: username ?? text('frame.aMember') });
    return html`<form method="post" action="${path}/remove">${token}<input type="hidden" name="userId" value="${userId}"><button class="plain danger" aria-label="${label}">${text('owners.remove')}</button></form>`;
  }
  if (userId !== visitor.userId) return null;
  return html`<form method="post" action="${path}/leave">${token}<button class="plain danger">${text('owners.leave')}</button></form>`;
}

function addForm(count: number, { listing, visitor, texts: { number, text } }: OwnerCall): Html {
  if (count >= maxCoOwners) {
    return html`<p class="quiet">${text('errors.tooManyCoOwners', { max: number(maxCoOwners) })}</p>`;
  }
  return html`<form class="stack" method="post" action="/dashboard/${listing.id}/owners">${formTokenField(visitor)}
  <label>${text('moderation.memberId')} <input name="userId" required inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" autocomplete="off">
    <span class="hint">${text('owners.idHint')}</span></label>
  <button>${text('owners.add')}</button></form>`;
}

function transferSection(coOwners: readonly CoOwner[], call: OwnerCall): Html {
  const { listing, visitor } = call;
  const { text } = call.texts;
  return html`<section class="card danger-zone" aria-labelledby="transfer"><h2 id="transfer">${text('owners.transfer')}</h2>
<p>${text('owners.transferHint')}</p>
<form class="stack" method="post" action="/dashboard/${listing.id}/owners/transfer">${formTokenField(visitor)}
  <label>${text('owners.newOwner')} <select name="userId" required>${coOwners.map(({ userId, username }) => html`<option value="${userId}" dir="auto">${username ?? text('frame.aMember')}</option>`)}</select></label>
  <button class="danger-solid">${text('owners.transfer')}</button></form></section>`;
}
