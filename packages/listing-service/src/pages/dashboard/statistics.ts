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

const width = 720;
const height = 220;
const left = 64;
const bottom = 34;
/** Room for half a line of the labels at a small width. */
const top = 20;

/** Bars of votes per day as SVG, with a title and a description for screen readers. */
function voteChart(days: readonly Pick<ListingDay, 'start' | 'votes'>[], texts: ServiceTexts): Html {
  const { number, date, text } = texts;
  const compact = new Intl.NumberFormat(texts.locale, { notation: 'compact' });
  const total = days.reduce((sum, { votes }) => sum + votes, 0);
  const most = days.reduce((best, each) => (each.votes > best.votes ? each : best), days[0] ?? { start: 0, votes: 0 });
  const scale = niceMaximum(most.votes);
  const plotHeight = height - top - bottom;
  const step = (width - left) / Math.max(1, days.length);
  const y = (votes: number) => top + plotHeight * (1 - votes / scale);
  const gridlines = [0, scale / 2, scale].filter(Number.isInteger);
  const labelEvery = Math.ceil(days.length / 4);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="chart-title chart-description">
<title id="chart-title">${text('statistics.chart', { days: texts.days(days.length) })}</title>
<desc id="chart-description">${text('statistics.description', { total: texts.text('counts.votes', { count: total }), most: number(most.votes), date: date(most.start) })}</desc>
${gridlines.map(
  (value) => html`<line class="grid" x1="${left}" x2="${width}" y1="${round(y(value))}" y2="${round(y(value))}"></line>
<text class="axis" x="${left - 8}" y="${round(y(value) + 4)}" text-anchor="end">${compact.format(value)}</text>`,
)}
${days.map(({ start, votes }, index) => {
  const x = left + index * step;
  const barHeight = votes === 0 ? 0 : Math.max(2, plotHeight * (votes / scale));
  const bar = html`<g><title>${date(start)}: ${number(votes)}</title><rect class="hit" x="${round(x)}" y="${top}" width="${round(step)}" height="${plotHeight}"></rect>
<rect class="bar" x="${round(x + step * 0.12)}" y="${round(top + plotHeight - barHeight)}" width="${round(step * 0.76)}" height="${round(barHeight)}" rx="${round(Math.min(3, step / 4))}"></rect></g>`;
  const isLabelled = (days.length - 1 - index) % labelEvery === 0 && index > 0;
  return html`${bar}${isLabelled && html`<text class="axis" x="${round(x + step / 2)}" y="${height - 10}" text-anchor="${index === days.length - 1 ? 'end' : 'middle'}">${texts.shortDate(start)}</text>`}`;
})}
</svg>`;
}

/** The smallest of 2, 4, 10, 20, 40, 100, … that is not below the value: half of it is an integer too. */
function niceMaximum(value: number): number {
  for (let power = 1; ; power *= 10) {
    for (const factor of [2, 4, 10]) if (factor * power >= value) return factor * power;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
