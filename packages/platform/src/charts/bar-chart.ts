import { type Html, html } from '../web/html.ts';
import { axisValues, summarize } from './axis.ts';

export interface Bar {
  readonly value: number;
  /** The name of the bar: a day, an hour. */
  readonly name: string;
  /** Below the axis, for some of the bars. */
  readonly label?: string | null;
  /** Drawn in the second colour, such as a weekend. */
  readonly isMarked?: boolean;
}

interface BarChart {
  readonly bars: readonly Bar[];
  /** The text alternative of the chart. */
  readonly description: string;
  /** Formats values in the language of the page. */
  readonly number: (value: number) => string;
  readonly locale: string;
  /** True to draw the average of the bars. */
  readonly hasAverage?: boolean;
}

/** Half the width of a gap, as a part of the width of a bar with its gap. */
const gap = 0.13;

/**
 * Bars on round axes, each with a tooltip. Places are parts of the drawing, and lengths of texts are their own, so that it
 * is as wide as there is room. The stylesheet of all pages has its looks.
 */
export function barChart({ bars, description, number, locale, hasAverage = false }: BarChart): Html {
  const { most, average } = summarize(bars.map(({ value }) => value));
  const values = axisValues(most);
  const top = values.at(-1) ?? 1;
  const compact = new Intl.NumberFormat(locale, { notation: 'compact' });
  const step = 100 / Math.max(1, bars.length);
  const y = (value: number) => `${round(100 - (100 * value) / top)}%`;
  const lines = values.map((value) => html`<line x1="0" x2="100%" y1="${y(value)}" y2="${y(value)}"/>`);
  const drawn = bars.map(({ value, name, isMarked }, index) => {
    const shown = html`<rect class="${isMarked === true ? 'bar marked' : 'bar'}" x="${round((index + gap) * step)}%" y="${y(value)}" width="${round((1 - 2 * gap) * step)}%" height="${round((100 * value) / top)}%" rx="2"/>`;
    return html`<g><title>${name}: ${number(value)}</title><rect class="hit" x="${round(index * step)}%" y="0" width="${round(step)}%" height="100%"/>${value > 0 && shown}</g>`;
  });
  const averageLine =
    hasAverage && most > 0 && html`<line class="average" x1="0" x2="100%" y1="${y(average)}" y2="${y(average)}"/>`;
  return html`<div class="chart" role="img" aria-label="${description}"><svg class="values" aria-hidden="true">${values.map(
    (value) => html`<text x="100%" y="${y(value)}" dy="0.35em" text-anchor="end">${compact.format(value)}</text>`,
  )}</svg><svg class="plot" aria-hidden="true">${lines}${drawn}${averageLine}</svg><svg class="labels" aria-hidden="true">${bars.map(
    ({ label }, index) =>
      label ? html`<text x="${round((index + 0.5) * step)}%" y="1em" text-anchor="middle">${label}</text>` : null,
  )}</svg></div>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
