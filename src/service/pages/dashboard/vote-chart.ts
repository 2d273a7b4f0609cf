import { type Html, html } from '../../../platform/web/html.ts';

/** One bar of the chart. */
export interface ChartDay {
  /** The start of the day (ms since the epoch). */
  readonly start: number;
  readonly votes: number;
}

const width = 720;
const height = 220;
const left = 64;
const bottom = 34;
/** Room for half a line of the labels at a small width. */
const top = 20;

/** Bars of votes per day as SVG, with a title and a description for screen readers. */
export function voteChart(days: readonly ChartDay[]): Html {
  const total = days.reduce((sum, { votes }) => sum + votes, 0);
  const most = days.reduce((best, each) => (each.votes > best.votes ? each : best), days[0] ?? { start: 0, votes: 0 });
  const scale = niceMaximum(most.votes);
  const plotHeight = height - top - bottom;
  const step = (width - left) / Math.max(1, days.length);
  const y = (votes: number) => top + plotHeight * (1 - votes / scale);
  const gridlines = [0, scale / 2, scale].filter(Number.isInteger);
  const labelEvery = Math.ceil(days.length / 4);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="chart-title chart-description">
<title id="chart-title">Votes per day, last ${days.length} days</title>
<desc id="chart-description">${total.toLocaleString('en')} votes in total, ${most.votes.toLocaleString('en')} on the day with most votes, ${dateOf(most.start)}.</desc>
${gridlines.map(
  (value) => html`<line class="grid" x1="${left}" x2="${width}" y1="${round(y(value))}" y2="${round(y(value))}"></line>
<text class="axis" x="${left - 8}" y="${round(y(value) + 4)}" text-anchor="end">${compact(value)}</text>`,
)}
${days.map(({ start, votes }, index) => {
  const x = left + index * step;
  const barHeight = votes === 0 ? 0 : Math.max(2, plotHeight * (votes / scale));
  const bar = html`<g><title>${dateOf(start)}: ${votes.toLocaleString('en')}</title><rect class="hit" x="${round(x)}" y="${top}" width="${round(step)}" height="${plotHeight}"></rect>
<rect class="bar" x="${round(x + step * 0.12)}" y="${round(top + plotHeight - barHeight)}" width="${round(step * 0.76)}" height="${round(barHeight)}" rx="${round(Math.min(3, step / 4))}"></rect></g>`;
  const isLabelled = (days.length - 1 - index) % labelEvery === 0 && index > 0;
  return html`${bar}${isLabelled && html`<text class="axis" x="${round(x + step / 2)}" y="${height - 10}" text-anchor="${index === days.length - 1 ? 'end' : 'middle'}">${shortDateOf(start)}</text>`}`;
})}
</svg>`;
}

/** The smallest of 2, 4, 10, 20, 40, 100, … that is not below the value: half of it is an integer too. */
function niceMaximum(value: number): number {
  for (let power = 1; ; power *= 10) {
    for (const factor of [2, 4, 10]) if (factor * power >= value) return factor * power;
  }
}

/** `1.2K`, which fits beside the axis. */
function compact(value: number): string {
  return value.toLocaleString('en', { notation: 'compact' });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `2026-01-31`. */
function dateOf(start: number): string {
  return new Date(start).toISOString().slice(0, 10);
}

/** `31 Jan`. */
function shortDateOf(start: number): string {
  return new Date(start).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
