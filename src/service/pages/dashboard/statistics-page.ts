import { formatCount } from '../../../platform/durations.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { Listing } from '../../listing/listing.ts';
import type { ListingDay } from '../../storage/listings/listing-days.ts';
import { voteChart } from './vote-chart.ts';

export interface StatisticsView {
  readonly listing: Listing;
  /** The days of the chart, oldest first. */
  readonly days: readonly ListingDay[];
  readonly votes: { readonly total: number; readonly month: number; readonly lastMonth: number };
  readonly reviews: { readonly total: number; readonly rating: number | null };
  /** Of the last 30 days; `waiting` of any age. */
  readonly deliveries: { readonly queued: number; readonly failed: number; readonly waiting: number };
}

/** The statistics of a listing. */
export function statisticsPage({ listing, days, votes, reviews, deliveries }: StatisticsView): Html {
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

function figure(name: string, value: number): Html {
  return html`<div><dt>${name}</dt><dd>${value.toLocaleString('en')}</dd></div>`;
}
