import { Router } from 'express';
import { day, formatCount } from '../../../platform/durations.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { Listing } from '../../listing/listing.ts';
import { countOpenDeliveries, type ListingDay, listingDays } from '../../storage/listings/listing-days.ts';
import { countReviews } from '../../storage/reviews/reviews.ts';
import { countVotes, countVotesOfMonth } from '../../storage/votes.ts';
import type { PageDependencies } from '../dependencies.ts';
import { figure } from '../listing-parts.ts';
import type { Dashboard } from './dashboard.ts';
import { voteChart } from './vote-chart.ts';

const deliveryDays = 30;

export function statisticsRoutes({ sending }: PageDependencies, dashboard: Dashboard): Router {
  const { database, clock } = sending;
  const router = Router();

  dashboard.page(router, '/statistics', { title: 'Statistics' }, async ({ listing }, request) => {
    const now = clock.now();
    const days = await listingDays(database, listing.id, { count: request.query['days'] === '90' ? 90 : 30, now });
    const recent = days.slice(-deliveryDays);
    const lastMonth = await countVotesOfMonth(database, listing.id, startOfMonth(now) - 1);
    return statisticsPage({
      listing,
      days,
      votes: { ...(await countVotes(database, listing.id, now)), lastMonth },
      reviews: await countReviews(database, listing.id),
      deliveries: {
        queued: recent.reduce((sum, { deliveries }) => sum + deliveries, 0),
        ...(await countOpenDeliveries(database, listing.id, recent[0]?.start ?? now - deliveryDays * day)),
      },
    });
  });

  return router;
}

/** The start of the calendar month in UTC (ms since the epoch). */
function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

interface StatisticsView {
  readonly listing: Listing;
  /** The days of the chart, oldest first. */
  readonly days: readonly ListingDay[];
  readonly votes: { readonly total: number; readonly month: number; readonly lastMonth: number };
  readonly reviews: { readonly total: number; readonly rating: number | null };
  /** Of the last 30 days; `waiting` of any age. */
  readonly deliveries: { readonly queued: number; readonly failed: number; readonly waiting: number };
}

/** The statistics of a listing. */
function statisticsPage({ listing, days, votes, reviews, deliveries }: StatisticsView): Html {
  const path = `/dashboard/${listing.id}/statistics`;
  const ranges = [30, 90].map((count) =>
    count === days.length
      ? html`<strong aria-current="true">${count} days</strong>`
      : html`<a href="${path}?days=${count}">${count} days</a>`,
  );
  const inRange = days.reduce((sum, day) => sum + day.votes, 0);
  return html`<dl class="figures tiles">
  ${figure('Votes', votes.total)}${figure('This month', votes.month)}${figure('Last month', votes.lastMonth)}
  ${listing.kind === 'server' && figure('Reviews', reviews.total)}
  ${listing.kind === 'server' && html`<div><dt>Mean rating</dt><dd>${reviews.rating === null ? '–' : reviews.rating.toFixed(1)}</dd></div>`}
</dl>
<section class="card" aria-labelledby="votes"><div class="spread"><h2 id="votes">Votes per day</h2><p class="sorts">${ranges}</p></div>
${voteChart(days)}
<p class="quiet">${formatCount(inRange, 'vote')} in ${days.length} days. Days are in UTC; the last is today.</p>
<details><summary>As a table</summary><div class="scroll tall"><table><thead><tr><th scope="col">Day</th><th scope="col" class="number">Votes</th></tr></thead>
<tbody>${days
    .toReversed()
    .map(
      (day) =>
        html`<tr><th scope="row">${new Date(day.start).toISOString().slice(0, 10)}</th><td class="number">${day.votes.toLocaleString('en')}</td></tr>`,
    )}</tbody></table></div></details></section>
<section class="card" aria-labelledby="webhooks"><h2 id="webhooks">Webhook deliveries, last 30 days</h2>
<dl class="figures">${figure('Deliveries', deliveries.queued)}${figure('Failed', deliveries.failed)}${figure('Waiting now', deliveries.waiting)}</dl>
<p class="quiet"><a href="/dashboard/${listing.id}/deliveries?state=failed">Failed deliveries</a></p></section>`;
}
