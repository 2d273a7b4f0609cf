import { isoTime } from '@tallyhook/platform/durations';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { z } from 'zod';
import { findBan } from '../abuse/moderate.ts';
import { reasonText, reportsOfReporter } from '../abuse/reports.ts';
import { pagePath } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { coOwnedListings } from '../storage/listings/co-owners.ts';
import { countListingsOfOwner } from '../storage/listings/listings.ts';
import { deleteMemberData, memberListings } from '../storage/members/member-data.ts';
import { PageError } from '../texts/page-error.ts';
import { problem, readForm } from './forms.ts';
import { isolated } from './listing-parts.ts';
import { type PageCall, type PageDependencies, PageRoutes } from './page-routes.ts';
import { sendExport } from './send-export.ts';

/** More than anybody may file. */
const maxReports = 1_000;
const deleteForm = z.object({ confirm: z.literal('yes', problem('ticked')) });

/** Pages with the data that is stored about the visitor, with an export and the deletion. */
export function memberDataRoutes(dependencies: PageDependencies): Router {
  const { database, sessions, admission } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.memberPage('/your-data', async (call) => {
    await admission.count(call.request, 'data', call.visitor.userId);
    return { title: call.texts.text('frame.yourData'), body: memberDataPage(await readMemberData(call, database)) };
  });

  const exportMemberData = async ({ request, response, visitor: { userId, username } }: PageCall) => {
    await admission.count(request, 'data', userId);
    const reports = await reportsOfReporter(database, userId, maxReports);
    const ban = await findBan(database, userId);
    const coOwned = await coOwnedListings(database, userId);
    await sendExport(response, {
      name: 'your-data.json',
      values: {
        member: { userId, username },
        ban: ban && { reason: ban.reason, bannedAt: isoTime(ban.bannedAt) },
        coOwnerOf: coOwned.map(({ addedAt, ...listing }) => ({ ...listing, addedAt: isoTime(addedAt) })),
        reports: reports.map(({ listingId, kind, reason, text, state, createdAt }) => ({
          listingId,
          kind,
          reason,
          text,
          state,
          createdAt: isoTime(createdAt),
        })),
      },
      lists: { listings: exportedListings(userId) },
    });
    return null;
  };
  routes.memberPage('/your-data/export', exportMemberData, '/your-data');

  routes.form('/your-data/delete', async ({ request, response, visitor: { userId }, now }) => {
    readForm(deleteForm, request.body);
    await admission.count(request, 'data', userId);
    if ((await countListingsOfOwner(database, userId)) > 0) {
      throw new PageError(409, ({ text }) => text('errors.deleteListings'));
    }
    await deleteMemberData(database, userId, now);
    await sessions.signOut(request, response, now);
    return '/?notice=data-deleted';
  });

  async function* exportedListings(userId: string) {
    for await (const { listing, votes, review } of memberListings(database, userId)) {
      const reviewed = review && { ...review, createdAt: isoTime(review.createdAt) };
      yield [{ listing, votes: votes.map(isoTime), review: reviewed }];
    }
  }

  return routes.router;
}

type MemberDataView = Awaited<ReturnType<typeof readMemberData>>;

async function readMemberData({ visitor, now, texts }: PageCall, database: Database) {
  const listings = [];
  for await (const { listing, votes, review } of memberListings(database, visitor.userId)) {
    listings.push({ listing, votes: votes.length, lastVoteAt: votes.at(-1) ?? null, review });
  }
  listings.sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
  const reports = await reportsOfReporter(database, visitor.userId, maxReports);
  const ownListings = await countListingsOfOwner(database, visitor.userId);
  const coOwned = await coOwnedListings(database, visitor.userId);
  const ban = await findBan(database, visitor.userId);
  return { visitor, listings, reports, ban, ownListings, coOwned, now, texts };
}

function memberDataPage(view: MemberDataView): Html {
  const { visitor, ban, now, texts } = view;
  const { text } = texts;
  return html`<h1>${texts.text('frame.yourData')}</h1>
<p class="lead">${texts.fill('yourData.lead', { name: isolated(visitor.username) })} <span class="quiet">(${visitor.userId})</span></p>
${ban && html`<div class="notice bad"><p>${texts.fill('yourData.banned', { time: texts.ago(ban.bannedAt, now) })}</p><p>${texts.fill('listing.reason', { reason: isolated(ban.reason) })}</p></div>`}
${votesSection(view)}
${reviewsSection(view)}
${reportsSection(view)}
${coOwnedSection(view)}
<section class="card" aria-labelledby="export"><h2 id="export">${text('yourData.export')}</h2>
<p>${text('yourData.exportHint')}</p>
<p><a class="button second" href="/your-data/export" download>${text('yourData.download')}</a></p></section>
<section class="card" aria-labelledby="sessions"><h2 id="sessions">${text('yourData.sessions')}</h2>
<p>${text('yourData.sessionsHint')}</p>
<form method="post" action="/sign-out/everywhere">${formTokenField(visitor)}<button class="second">${text('signIn.signOutEverywhere')}</button></form></section>
${deleteSection(view)}`;
}

function votesSection({ listings, now, texts }: MemberDataView): Html {
  const { number, ago, text } = texts;
  const voted = listings.filter(({ votes }) => votes > 0);
  const total = voted.reduce((sum, { votes }) => sum + votes, 0);
  return html`<section class="card" aria-labelledby="votes"><h2 id="votes">${texts.text('counts.votes', { count: total })}</h2>
${voted.length === 0 && html`<p class="empty">${text('yourData.noVotes')}</p>`}
${
  voted.length > 0 &&
  html`<div class="scroll tall"><table><thead><tr><th scope="col">${text('yourData.listing')}</th><th scope="col" class="number">${texts.text('listing.votes')}</th><th scope="col">${text('yourData.lastVote')}</th></tr></thead>
<tbody>${voted.map(
    ({ listing, votes, lastVoteAt }) =>
      html`<tr><td class="wrap"><a href="${pagePath(listing)}">${isolated(listing.name)}</a></td><td class="number">${number(votes)}</td><td>${lastVoteAt !== null && ago(lastVoteAt, now)}</td></tr>`,
  )}</tbody></table></div>`
}</section>`;
}

function reviewsSection({ visitor, listings, now, texts }: MemberDataView): Html {
  const { text } = texts;
  const reviews = listings.flatMap(({ listing, review }) => (review === null ? [] : [{ listing, review }]));
  return html`<section class="card" aria-labelledby="reviews"><h2 id="reviews">${text('counts.reviews', { count: reviews.length })}</h2>
${reviews.length === 0 && html`<p class="empty">${text('yourData.noReviews')}</p>`}
<ol class="reviews">${reviews.map(
    ({
      listing,
      review,
    }) => html`<li><p><a href="${pagePath(listing)}#own-review">${isolated(listing.name)}</a> <span class="stars" role="img" aria-label="${text('counts.stars', { count: review.rating })}">${'★'.repeat(review.rating)}</span></p>
<p class="comment">${isolated(review.comment)}</p><p class="quiet">${texts.ago(review.createdAt, now)}</p>
<form class="line" method="post" action="${pagePath(listing)}/reviews/delete">${formTokenField(visitor)}<button class="plain danger" aria-label="${text('yourData.deleteReviewOf', { name: listing.name })}">${text('yourData.deleteReview')}</button></form></li>`,
  )}</ol></section>`;
}

function reportsSection({ reports, now, texts }: MemberDataView): Html | null {
  const { fill, text } = texts;
  if (reports.length === 0) return null;
  return html`<section class="card" aria-labelledby="reports"><h2 id="reports">${texts.text('counts.reports', { count: reports.length })}</h2>
<div class="scroll tall"><table><thead><tr><th scope="col">${text('yourData.sent')}</th><th scope="col">${text('yourData.about')}</th><th scope="col">${text('report.reason')}</th><th scope="col">${text('yourData.state')}</th></tr></thead>
<tbody>${reports.map(({ createdAt, kind, listingId, reason, state }) => {
    const about = kind === 'review' ? 'yourData.aReviewOf' : 'yourData.theListing';
    return html`<tr><td>${texts.ago(createdAt, now)}</td><td>${fill(about, { listing: html`<code>${listingId}</code>` })}</td><td>${reasonText(reason, texts)}</td><td>${text(`yourData.states.${state}`)}</td></tr>`;
  })}</tbody></table></div></section>`;
}

function coOwnedSection({ coOwned, texts: { text } }: MemberDataView): Html | null {
  if (coOwned.length === 0) return null;
  return html`<section class="card" aria-labelledby="co-owned"><h2 id="co-owned">${text('yourData.coOwned')}</h2>
<ul>${coOwned.map(({ id, name }) => html`<li><a href="/dashboard/${id}/owners">${isolated(name)}</a></li>`)}</ul></section>`;
}

function deleteSection({ visitor, ownListings, ban, texts }: MemberDataView): Html {
  const { text } = texts;
  const content =
    ownListings > 0
      ? html`<p>${text('yourData.ownsListings', { count: ownListings })} <a href="/dashboard">${text('yourData.toListings')}</a></p>`
      : html`<p>${text('yourData.deleteHint')} ${ban && text('yourData.banRemains')}</p>
<form class="stack" method="post" action="/your-data/delete">${formTokenField(visitor)}
  <label class="check"><input type="checkbox" name="confirm" value="yes" required> ${text('yourData.confirm')}</label>
  <button class="danger-solid">${text('yourData.deleteButton')}</button></form>`;
  return html`<section class="card danger-zone" aria-labelledby="delete"><h2 id="delete">${text('yourData.delete')}</h2>
${content}</section>`;
}
