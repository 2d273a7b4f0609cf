import { Router } from 'express';
import { z } from 'zod';
import { HttpError } from '../../platform/web/http-error.ts';
import { findBan } from '../abuse/bans.ts';
import { reportsOfReporter } from '../abuse/reports.ts';
import { countListingsOfOwner } from '../storage/listings/listings.ts';
import { deleteMemberData, memberListings } from '../storage/members/member-data.ts';
import type { PageDependencies } from './dependencies.ts';
import { readForm } from './forms.ts';
import { type MemberDataView, memberDataPage } from './member-data-page.ts';
import { renderServicePage, requireVisitor } from './render-page.ts';
import { sendExport } from './send-export.ts';

/** More than anybody may file. */
const maxReports = 1_000;
const deleteForm = z.object({ confirm: z.literal('yes', 'It must be ticked.') });

/** What the service stores about a member, with an export and the deletion. */
export function memberDataRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions, admission } = dependencies;
  const { database, clock } = sending;
  const router = Router();

  router.get('/your-data', async (request, response) => {
    const now = clock.now();
    const visitor = await sessions.visitor(request, now);
    if (!visitor) return response.redirect(303, '/sign-in?next=/your-data');
    await admission.count(request, 'data', visitor.userId);
    const listings: MemberDataView['listings'][number][] = [];
    for await (const { listing, votes, review } of memberListings(database, visitor.userId)) {
      listings.push({ listing, votes: votes.length, lastVoteAt: votes.at(-1) ?? null, review });
    }
    listings.sort((a, b) => (b.lastVoteAt ?? 0) - (a.lastVoteAt ?? 0));
    const reports = await reportsOfReporter(database, visitor.userId, maxReports);
    const ownListings = await countListingsOfOwner(database, visitor.userId);
    const ban = await findBan(database, visitor.userId);
    const body = memberDataPage({ visitor, listings, reports, ban, ownListings, now });
    renderServicePage(request, response, { title: 'Your data', visitor, body });
  });

  router.get('/your-data/export', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    if (!visitor) return response.redirect(303, '/sign-in?next=/your-data');
    const { userId, username } = visitor;
    await admission.count(request, 'data', userId);
    const reports = await reportsOfReporter(database, userId, maxReports);
    const ban = await findBan(database, userId);
    await sendExport(response, {
      name: 'your-data.json',
      values: {
        member: { userId, username },
        ban: ban && { reason: ban.reason, bannedAt: iso(ban.bannedAt) },
        reports: reports.map(({ listingId, kind, reason, text, state, createdAt }) => ({
          ...{ listingId, kind, reason, text, state },
          createdAt: iso(createdAt),
        })),
      },
      lists: { listings: exportedListings(userId) },
    });
  });

  router.post('/your-data/delete', async (request, response) => {
    const { userId } = await requireVisitor(dependencies, request);
    readForm(deleteForm, request.body);
    await admission.count(request, 'data', userId);
    if ((await countListingsOfOwner(database, userId)) > 0) {
      throw new HttpError(409, 'Delete your listings first, so that they do not remain without an owner.');
    }
    await deleteMemberData(database, userId, clock.now());
    await sessions.signOut(request, response, clock.now());
    response.redirect(303, '/?notice=data-deleted');
  });

  async function* exportedListings(userId: string) {
    for await (const { listing, votes, review } of memberListings(database, userId)) {
      yield [
        {
          listing,
          votes: votes.map(iso),
          review: review && { ...review, createdAt: iso(review.createdAt) },
        },
      ];
    }
  }

  return router;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
