import { Router } from 'express';
import { day } from '../../../platform/durations.ts';
import { countOpenDeliveries, listingDays } from '../../storage/listings/listing-days.ts';
import { countReviews } from '../../storage/reviews/reviews.ts';
import { countVotes, countVotesOfMonth } from '../../storage/votes.ts';
import type { PageDependencies } from '../dependencies.ts';
import { renderServicePage } from '../render-page.ts';
import type { Dashboard } from './dashboard.ts';
import { statisticsPage } from './statistics-page.ts';
import { dashboardFrame } from './tabs.ts';

const deliveryDays = 30;

export function statisticsRoutes({ sending }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  router.get('/dashboard/:id/statistics', async (request, response) => {
    const owned = await dashboard.requireOwnerPage(request, response);
    if (owned === null) return;
    const { listing, visitor } = owned;
    const now = clock.now();
    const days = await listingDays(database, listing.id, { count: request.query['days'] === '90' ? 90 : 30, now });
    const recent = days.slice(-deliveryDays);
    const lastMonth = await countVotesOfMonth(database, listing.id, startOfMonth(now) - 1);
    const page = statisticsPage({
      listing,
      days,
      votes: { ...(await countVotes(database, listing.id, now)), lastMonth },
      reviews: await countReviews(database, listing.id),
      deliveries: {
        queued: recent.reduce((sum, { deliveries }) => sum + deliveries, 0),
        ...(await countOpenDeliveries(database, listing.id, recent[0]?.start ?? now - deliveryDays * day)),
      },
    });
    const body = dashboardFrame(listing, '/statistics', 'Statistics', page);
    renderServicePage(request, response, { title: 'Statistics', visitor, body });
  });

  return router;
}

/** The start of the calendar month in UTC (ms since the epoch). */
function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
