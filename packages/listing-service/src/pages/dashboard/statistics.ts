import { barChart } from '@tallyhook/platform/charts/bar-chart';
import { day } from '@tallyhook/platform/durations';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Database } from '../../storage/database.ts';
import { countOpenDeliveries, type ListingDay, listingDays } from '../../storage/listings/listing-days.ts';
import { countReviews } from '../../storage/reviews.ts';
import { countVotes, countVotesOfMonth } from '../../storage/votes.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { figure } from '../listing-parts.ts';
import type { OwnerCall, PageDependencies } from '../page-routes.ts';
import type { Dashboard } from './dashboard.ts';

const deliveryDays = 30;

export function addStatistics(dashboard: Dashboard, { database }: PageDependencies): void {
  dashboard.page(
    '/statistics',
    (texts) => texts.text('dashboard.tabs.statistics'),
    (owned) => statisticsPage(database, owned),
  );
}

/** The start of the calendar month in UTC (ms since the epoch). */
function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

async function statisticsPage(database: Database, { request, listing, now, texts }: OwnerCall): Promise<Html> {
  const { number, text } = texts;
  const days = await listingDays(database, listing.id, { count: request.query['days'] === '90' ? 90 : 30, now });
  const votes = await countVotes(database, listing.id, now);
  const lastMonth = await countVotesOfMonth(database, listing.id, startOfMonth(now) - 1);
  const reviews = await countReviews(database, listing.id);
  const recent = days.slice(-deliveryDays);
  const queued = recent.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const { failed, waiting } = await countOpenDeliveries(
    database,
    listing.id,
    recent[0]?.start ?? now - deliveryDays * day,
  );
  const path = `/dashboard/${listing.id}/statistics`;
  const ranges = [30, 90].map((count) =>
    count === days.length
      ? html`<strong aria-current="true">${texts.days(count)}</strong>`
      : html`<a href="${path}?days=${count}">${texts.days(count)}</a>`,
  );
  const inRange = days.reduce((sum, day) => sum + day.votes, 0);
  return html`<dl class="sums tiles">
  ${figure(texts.text('listing.votes'), number(votes.total))}${figure(texts.text('listing.thisMonth'), number(votes.month))}${figure(text('statistics.lastMonth'), number(lastMonth))}
  ${listing.kind === 'server' && figure(texts.text('reviews.title'), number(reviews.total))}
  ${listing.kind === 'server' && figure(text('statistics.meanRating'), reviews.rating === null ? '–' : texts.rating(reviews.rating))}
</dl>
<section class="card" aria-labelledby="votes"><div class="spread"><h2 id="votes">${text('statistics.votesPerDay')}</h2><p class="sorts">${ranges}</p></div>
${voteChart(days, texts)}
<p class="quiet">${text('statistics.inDays', { votes: texts.text('counts.votes', { count: inRange }), days: texts.days(days.length) })}</p>
<details><summary>${text('statistics.asTable')}</summary><div class="scroll tall"><table><thead><tr><th scope="col">${text('statistics.day')}</th><th scope="col" class="number">${texts.text('listing.votes')}</th></tr></thead>
<tbody>${days
    .toReversed()
    .map(
      (day) => html`<tr><th scope="row">${texts.date(day.start)}</th><td class="number">${number(day.votes)}</td></tr>`,
    )}</tbody></table></div></details></section>
<section class="card" aria-labelledby="webhooks"><h2 id="webhooks">${text('statistics.deliveries')}</h2>
<dl class="sums">${figure(text('statistics.total'), number(queued))}${figure(text('statistics.failed'), number(failed))}${figure(text('statistics.waiting'), number(waiting))}</dl>
<p class="quiet"><a href="/dashboard/${listing.id}/deliveries?state=failed">${text('statistics.failedDeliveries')}</a></p></section>`;
}

/** Bars of votes per day, with a description for screen readers. */
function voteChart(days: readonly Pick<ListingDay, 'start' | 'votes'>[], texts: ServiceTexts): Html {
  const { number, date, text, locale } = texts;
  const total = days.reduce((sum, { votes }) => sum + votes, 0);
  const most = days.reduce((best, each) => (each.votes > best.votes ? each : best), days[0] ?? { start: 0, votes: 0 });
  const labelEvery = Math.ceil(days.length / 4);
  const bars = days.map(({ start, votes }, index) => {
    const isLabelled = (days.length - 1 - index) % labelEvery === 0 && index > 0;
    return { value: votes, name: date(start), label: isLabelled ? texts.shortDate(start) : null };
  });
  const title = text('statistics.chart', { days: texts.days(days.length) });
  const votes = texts.text('counts.votes', { count: total });
  const values = text('statistics.description', { total: votes, most: number(most.votes), date: date(most.start) });
  return barChart({ bars, description: `${title}. ${values}`, number, locale });
}
