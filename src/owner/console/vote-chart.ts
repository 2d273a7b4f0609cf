import { day as dayMs } from '@tallyhook/platform/durations';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { DayVotes } from '../../core/store/standings/votes-per-day.ts';
import type { Texts } from '../../texts/texts.ts';
import { counted } from './cells.ts';

/* Units of the drawing, which is scaled to the width of the page. */
const [width, height] = [600, 150];
const gap = 4;

/** Votes per day as bars with their scale, and a description for those who do not see it. */
export function voteChart(days: readonly DayVotes[], texts: Texts): Html {
  const { locale, number, text } = texts;
  const dateOf = ({ day }: Pick<DayVotes, 'day'>) => datesIn(locale, { dateStyle: 'medium' }).format(day * dayMs);
  const shortDateOf = ({ day }: DayVotes) => datesIn(locale, { day: 'numeric', month: 'short' }).format(day * dayMs);
  const most = Math.max(1, ...days.map(({ votes }) => votes));
  const total = days.reduce((sum, { votes }) => sum + votes, 0);
  const step = width / Math.max(1, days.length);
  const [first, middle, last] = [days.at(0), days.at(days.length >> 1), days.at(-1)];
  if (first === undefined || middle === undefined || last === undefined || total === 0)
    return html`<p class="quiet">${text('console.noVotesInTime')}</p>`;
  const best = days.reduce((one, other) => (other.votes > one.votes ? other : one));
  const description = text('console.chart', {
    votes: counted(text('parts.votes', { count: total })),
    ...{ first: dateOf(first), last: dateOf(last), day: dateOf(best), most: best.votes },
  });
  const bars = days.map(({ day, votes }, index) => {
    const barHeight = votes === 0 ? 0 : Math.max(2, (votes / most) * height);
    return html`<rect x="${round(index * step + gap / 2)}" y="${round(height - barHeight)}" width="${round(step - gap)}" height="${round(barHeight)}" rx="2"><title>${dateOf({ day })}: ${counted(text('parts.votes', { count: votes }))}</title></rect>`;
  });
  // Labels are outside of the drawing, so that they keep their size on a phone.
  return html`<figure class="chart"><p class="quiet scale" aria-hidden="true">${number(most)}</p><svg viewBox="0 0 ${width} ${height + 1}" preserveAspectRatio="none" role="img" aria-label="${description}">
<line x1="0" y1="0.5" x2="${width}" y2="0.5"/><line x1="0" y1="${height + 0.5}" x2="${width}" y2="${height + 0.5}"/>${bars}
</svg><p class="quiet days" aria-hidden="true">${[first, middle, last].map((each) => html`<span>${shortDateOf(each)}</span>`)}</p>
<figcaption class="quiet">${description}</figcaption></figure>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function datesIn(locale: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
}
