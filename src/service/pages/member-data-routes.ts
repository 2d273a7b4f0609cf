import type { Router } from 'express';
import { z } from 'zod';
import { formatCount, isoTime } from '../../platform/durations.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import { timeAgo } from '../../platform/web/time-element.ts';
import { type Ban, findBan } from '../abuse/moderate.ts';
import { reasonText, reportsOfReporter, type StoredReport } from '../abuse/reports.ts';
import { pagePath } from '../listing/listing.ts';
import { countListingsOfOwner } from '../storage/listings/listings.ts';
import { deleteMemberData, type MemberListing, memberListings } from '../storage/members/member-data.ts';
import { readForm } from './forms.ts';
import { isolated } from './listing-parts.ts';
import { type PageCall, type PageDependencies, PageRoutes } from './page-routes.ts';
import { sendExport } from './send-export.ts';
import type { Visitor } from './session.ts';

/** More than anybody may file. */
const maxReports = 1_000;
const deleteForm = z.object({ confirm: z.literal('yes', 'It must be ticked.') });

/** What the service stores about a member, with an export and the deletion. */
export function memberDataRoutes(dependencies: PageDependencies): Router {
  const { database, sessions, admission } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.memberPage('/your-data', async ({ request, visitor, now }) => {
    await admission.count(request, 'data', visitor.userId);
    const listings: MemberDataView['listings'][number][] = [];
    for await (const { listing, votes, review } of memberListings(database, visitor.userId)) {
      listings.push({ listing, votes: votes.length, lastVoteAt: votes.at(-1) ?? null, review });
    }
    listings.sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
    const reports = await reportsOfReporter(database, visitor.userId, maxReports);
    const ownListings = await countListingsOfOwner(database, visitor.userId);
    const ban = await findBan(database, visitor.userId);
    return { title: 'Your data', body: memberDataPage({ visitor, listings, reports, ban, ownListings, now }) };
  });

  const exportMemberData = async ({ request, response, visitor: { userId, username } }: PageCall) => {
    await admission.count(request, 'data', userId);
    const reports = await reportsOfReporter(database, userId, maxReports);
    const ban = await findBan(database, userId);
    await sendExport(response, {
      name: 'your-data.json',
      values: {
        member: { userId, username },
        ban: ban && { reason: ban.reason, bannedAt: isoTime(ban.bannedAt) },
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
      throw new HttpError(409, 'Delete your listings first, so that they do not remain without an owner.');
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

interface MemberDataView {
  readonly visitor: Visitor;
  readonly listings: readonly (Pick<MemberListing, 'listing' | 'review'> & {
    readonly votes: number;
    readonly lastVoteAt: number | null;
  })[];
  readonly reports: readonly StoredReport[];
  /** Null unless an operator has banned the member. */
  readonly ban: Ban | null;
  /** The number of listings that the member owns. */
  readonly ownListings: number;
  readonly now: number;
}

/** What the service stores about the visitor. */
function memberDataPage(view: MemberDataView): Html {
  const { visitor } = view;
  return html`<h1>Your data</h1>
<p class="lead">What this service stores about ${isolated(visitor.username)} <span class="quiet">(${visitor.userId})</span></p>
${view.ban && html`<div class="notice bad"><p>You were banned ${timeAgo(view.ban.bannedAt, view.now)}: you can no longer vote, review, report, reply, or add and edit listings.</p><p>Reason: ${isolated(view.ban.reason)}</p></div>`}
${votesSection(view)}
${reviewsSection(view)}
${reportsSection(view)}
<section class="card" aria-labelledby="export"><h2 id="export">Export</h2>
<p>All of it as one JSON file, with every vote.</p>
<p><a class="button second" href="/your-data/export" download>Download export</a></p></section>
<section class="card" aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
<p>If you have lost a device, or have forgotten to sign out on one.</p>
<form method="post" action="/sign-out/everywhere">${formTokenField(visitor)}<button class="second">Sign out in all browsers</button></form></section>
${deleteSection(view)}`;
}

function votesSection({ listings, now }: MemberDataView): Html {
  const voted = listings.filter(({ votes }) => votes > 0);
  const total = voted.reduce((sum, { votes }) => sum + votes, 0);
  return html`<section class="card" aria-labelledby="votes"><h2 id="votes">${formatCount(total, 'vote')}</h2>
${voted.length === 0 && html`<p class="empty">You have not voted.</p>`}
${
  voted.length > 0 &&
  html`<div class="scroll tall"><table><thead><tr><th scope="col">Listing</th><th scope="col" class="number">Votes</th><th scope="col">Last vote</th></tr></thead>
<tbody>${voted.map(
    ({ listing, votes, lastVoteAt }) =>
      html`<tr><td class="wrap"><a href="${pagePath(listing)}">${isolated(listing.name)}</a></td><td class="number">${votes}</td><td>${lastVoteAt !== null && timeAgo(lastVoteAt, now)}</td></tr>`,
  )}</tbody></table></div>`
}</section>`;
}

function reviewsSection({ visitor, listings, now }: MemberDataView): Html {
  const reviews = listings.flatMap(({ listing, review }) => (review === null ? [] : [{ listing, review }]));
  return html`<section class="card" aria-labelledby="reviews"><h2 id="reviews">${formatCount(reviews.length, 'review')}</h2>
${reviews.length === 0 && html`<p class="empty">You have written no reviews.</p>`}
<ol class="reviews">${reviews.map(
    ({
      listing,
      review,
    }) => html`<li><p><a href="${pagePath(listing)}#own-review">${isolated(listing.name)}</a> <span class="stars" role="img" aria-label="${formatCount(review.rating, 'star')}">${'★'.repeat(review.rating)}</span></p>
<p class="comment">${isolated(review.comment)}</p><p class="quiet">${timeAgo(review.createdAt, now)}</p>
<form class="line" method="post" action="${pagePath(listing)}/reviews/delete">${formTokenField(visitor)}<button class="plain danger" aria-label="Delete your review of ${listing.name}">Delete</button></form></li>`,
  )}</ol></section>`;
}

function reportsSection({ reports, now }: MemberDataView): Html | null {
  if (reports.length === 0) return null;
  return html`<section class="card" aria-labelledby="reports"><h2 id="reports">${formatCount(reports.length, 'report')}</h2>
<div class="scroll tall"><table><thead><tr><th scope="col">Sent</th><th scope="col">About</th><th scope="col">Reason</th><th scope="col">State</th></tr></thead>
<tbody>${reports.map(
    (report) =>
      html`<tr><td>${timeAgo(report.createdAt, now)}</td><td>${report.kind === 'review' ? 'A review of' : 'The listing'} <code>${report.listingId}</code></td><td>${reasonText(report.reason)}</td><td>${reportStates[report.state]}</td></tr>`,
  )}</tbody></table></div></section>`;
}

const reportStates = { open: 'Not decided yet', upheld: 'The operator has acted', dismissed: 'No action' };

function deleteSection({ visitor, ownListings, ban }: MemberDataView): Html {
  if (ownListings > 0) {
    return html`<section class="card danger-zone" aria-labelledby="delete"><h2 id="delete">Delete your data</h2>
<p>You own ${formatCount(ownListings, 'listing')}. <a href="/dashboard">Delete them</a> first.</p></section>`;
  }
  return html`<section class="card danger-zone" aria-labelledby="delete"><h2 id="delete">Delete your data</h2>
<p>Your name, reviews and reports are deleted. Your votes remain counted, without your name and id; those of the last 12 hours lose them when the time until the next vote is over.${ban !== null && ' The ban remains.'} This cannot be undone.</p>
<form class="stack" method="post" action="/your-data/delete">${formTokenField(visitor)}
  <label class="check"><input type="checkbox" name="confirm" value="yes" required> Delete everything about me</label>
  <button class="danger-solid">Delete my data</button></form></section>`;
}
