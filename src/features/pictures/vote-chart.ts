import { axisValues, summarize } from '@tallyhook/platform/charts/axis';
import { day as dayMs } from '@tallyhook/platform/durations';
import { fontFamily, isDrawable } from '@tallyhook/platform/pictures/fonts';
import { box, line, type Picture, type PictureNode } from '@tallyhook/platform/pictures/picture';
import { weekdayOf } from '../../core/rewards/calendar.ts';
import type { DayVotes } from '../../core/store/standings/votes-per-day.ts';

/** Numbers and dates of a language that the font can draw. Days are day numbers. */
export interface ChartLabels {
  number(value: number): string;
  day(day: number): string;
  days(first: number, last: number): string;
}

const spaces = /[\u00A0\u2009\u202F]/g;
const marks = /[\u200E\u200F\u061C]/g;

/** Creating formatters takes a millisecond. There are only as many as languages. */
const labelsByLocale = new Map<string, ChartLabels>();

/** Month names where the font can draw them, otherwise numbers alone. @param locale BCP-47 language tag */
function chartLabels(locale: string): ChartLabels {
  const labels = labelsByLocale.get(locale) ?? createLabels(locale);
  labelsByLocale.set(locale, labels);
  return labels;
}

function createLabels(locale: string): ChartLabels {
  const western = { numberingSystem: 'latn' } as const;
  const numbers = new Intl.NumberFormat(locale, { ...western, maximumFractionDigits: 2 });
  const datesWith = (month: 'short' | 'numeric') =>
    new Intl.DateTimeFormat(locale, { ...western, calendar: 'gregory', timeZone: 'UTC', month, day: 'numeric' });
  const named = datesWith('short');
  const months = Array.from({ length: 12 }, (_, month) => plain(named.format(Date.UTC(2026, month))));
  const dates = months.every(isDrawable) ? named : datesWith('numeric');
  return {
    number: (value) => plain(numbers.format(value)),
    day: (day) => plain(dates.format(day * dayMs)),
    days(first, last) {
      const range = plain(dates.formatRange(first * dayMs, last * dayMs));
      return isDrawable(range) ? range : `${plain(dates.format(first * dayMs))} – ${plain(dates.format(last * dayMs))}`;
    },
  };
}

function plain(text: string): string {
  return text.replace(spaces, ' ').replace(marks, '');
}

/** The words of the chart, in its language. Those that the font cannot draw are left out, or replaced by signs. */
export interface VoteChartWords {
  readonly title: string;
  /** The words that say since when, with the placeholder `{date}`. */
  readonly since: string;
  readonly total: string;
  readonly average: string;
  readonly maximum: string;
  readonly weekend: string;
}

export interface VoteChart {
  /** Oldest first, at least one. */
  readonly days: readonly DayVotes[];
  readonly words: VoteChartWords;
  /** BCP-47 language tag, for numbers and dates. */
  readonly locale: string;
}

/** Checks whether the font has the script of the language; if not, the chart shows numbers alone. */
export function canDrawWords(words: VoteChartWords): boolean {
  return Object.values(words).every(isDrawable);
}

/** The figures of a chart. `best` is the first day with the most votes. */
export function summarizeVotes(days: readonly DayVotes[]) {
  const best = days.reduce((one, other) => (other.votes > one.votes ? other : one));
  return { ...summarize(days.map(({ votes }) => votes)), best };
}

function firstDayOf(days: readonly DayVotes[]): number {
  return (days.find(({ votes }) => votes > 0) ?? days[0])?.day ?? 0;
}

/* CSS pixels. Discord shows the picture at less than half of its width, on phones at a third. */
const [width, height] = [900, 450];
const plot = { top: 140, bottom: 388 };
const [sideMargin, labelGap] = [24, 12];
const smallSize = 24;
const labelSize = 28;
const labelHeight = 36;
const titleSize = 38;
const averageSize = 22;
const averageGap = 8;
const daysPerLabel = 7;

const colors = {
  background: '#1e1f22',
  text: '#f2f3f5',
  quiet: '#a3a9b3',
  grid: '#2e3035',
  axis: '#4e5058',
  average: '#fee75c',
};
const fills = {
  weekday: { backgroundImage: 'linear-gradient(to bottom, #5865f2, #4650b8)' },
  weekend: { backgroundImage: 'linear-gradient(to bottom, #57f287, #41b365)' },
};
const weekendMark = '#57f287';

/**
 * Votes per day as bars. Weekends have another colour, and a mark below the axis for those who do not see the colour.
 * It shows dates and numbers only: names could have characters that no font here has.
 */
export function voteChart({ days, words, locale }: VoteChart): Picture {
  const labels = chartLabels(locale);
  const hasWords = canDrawWords(words);
  const { total, average, best } = summarizeVotes(days);
  const values = axisValues(best.votes);
  const top = values.at(-1) ?? 1;
  const averageLabel = { word: hasWords ? words.average : 'Ø', value: labels.number(average) };
  const left = sideMargin + widthOf(labels.number(top)) + labelGap;
  const right =
    width - sideMargin - averageGap - Math.max(widthOf(averageLabel.word, averageSize), widthOf(averageLabel.value));
  const frame: Frame = { left, right, top, step: (right - left) / days.length };
  const children = [
    header({ days, words: hasWords ? words : null, labels, total, average, best }),
    ...values.flatMap((value) => gridLine(value, labels.number(value), frame)),
    ...days.flatMap((day, index) => bar(day, index, frame)),
    ...days.flatMap(({ day }, index) =>
      index % daysPerLabel === 0
        ? [centered(labels.day(day), { index, top: plot.bottom + 16, minLeft: sideMargin }, frame)]
        : [],
    ),
    ...(best.votes > 0 ? [maximumLabel(best, days, labels.number(best.votes), frame)] : []),
    ...averageLine(average, averageLabel, frame),
  ];
  const style = {
    width,
    height,
    backgroundColor: colors.background,
    color: colors.text,
    fontFamily,
    fontSize: smallSize,
  };
  return { width, height, root: { type: 'container', style: { ...style, position: 'relative' }, children } };
}

/** The area of the bars: horizontal limits, the value at the top, and the distance between bars. */
interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly step: number;
}

function heightOf(votes: number, { top }: Frame): number {
  return (votes / top) * (plot.bottom - plot.top);
}

function header(of: {
  readonly days: readonly DayVotes[];
  readonly words: VoteChartWords | null;
  readonly labels: ReturnType<typeof chartLabels>;
  readonly total: number;
  readonly average: number;
  readonly best: DayVotes;
}): PictureNode {
  const { days, words, labels, total, average, best } = of;
  const first = firstDayOf(days);
  const range = labels.days(first, days.at(-1)?.day ?? 0);
  const title = words === null ? range : words.title;
  const isShorter = first !== days[0]?.day;
  const mark = { width: 14, height: 4, borderRadius: 2, backgroundColor: weekendMark, marginLeft: 18, marginRight: 7 };
  const legend: PictureNode[] =
    words === null
      ? []
      : [
          line(isShorter ? words.since.replace('{date}', labels.day(first)) : range, {}),
          { type: 'container', style: { ...mark, flexShrink: 0 }, children: [] },
          line(words.weekend, {}),
        ];
  const figures: readonly (readonly [string, number])[] = [
    [words?.total ?? 'Σ', total],
    [words?.average ?? 'Ø', average],
    [words?.maximum ?? '↑', best.votes],
  ];
  return box(
    { left: sideMargin, top: 14, width: width - 2 * sideMargin, display: 'flex', justifyContent: 'space-between' },
    column({ minWidth: 0, flexShrink: 1 }, [
      line(title, { fontSize: titleSize, fontWeight: 600, overflow: 'hidden', textOverflow: 'ellipsis' }),
      row({ color: colors.quiet, marginTop: 6, alignItems: 'center' }, legend),
    ]),
    row({ flexShrink: 0, marginLeft: 28 }, [
      ...figures.map(([label, value], index) =>
        column({ alignItems: 'flex-end', marginLeft: index === 0 ? 0 : 28 }, [
          line(labels.number(value), { fontSize: titleSize, fontWeight: 600 }),
          line(label, { color: colors.quiet, marginTop: 6 }),
        ]),
      ),
    ]),
  );
}

function row(style: PictureNode['style'], children: PictureNode[]): PictureNode {
  return { type: 'container', style: { display: 'flex', ...style }, children };
}

function column(style: PictureNode['style'], children: PictureNode[]): PictureNode {
  return row({ flexDirection: 'column', ...style }, children);
}

function gridLine(value: number, label: string, frame: Frame): PictureNode[] {
  const y = plot.bottom - heightOf(value, frame);
  const backgroundColor = value === 0 ? colors.axis : colors.grid;
  return [
    box({ left: frame.left, top: y, width: frame.right - frame.left, height: 1, backgroundColor }),
    box(
      {
        left: 0,
        top: y - labelHeight / 2,
        width: frame.left - labelGap,
        height: labelHeight,
        ...alignedTo('flex-end'),
      },
      line(label, { color: colors.quiet, fontSize: labelSize }),
    ),
  ];
}

function bar({ day, votes }: DayVotes, index: number, frame: Frame): PictureNode[] {
  const isWeekend = weekdayOf(day) >= 6;
  const barWidth = Math.round(frame.step * 0.7);
  const left = frame.left + (index + 0.5) * frame.step - barWidth / 2;
  const barHeight = votes === 0 ? 0 : Math.max(2, heightOf(votes, frame));
  const radius = Math.min(6, barHeight / 2);
  const at = { left, width: barWidth };
  return [
    ...(barHeight === 0
      ? []
      : [
          box({
            ...at,
            top: plot.bottom - barHeight,
            height: barHeight,
            borderTopLeftRadius: radius,
            borderTopRightRadius: radius,
            ...(isWeekend ? fills.weekend : fills.weekday),
          }),
        ]),
    ...(isWeekend
      ? [box({ ...at, top: plot.bottom + 4, height: 4, borderRadius: 2, backgroundColor: weekendMark })]
      : []),
  ];
}

/** The text may cross a line of the grid, so it has a background. */
function maximumLabel(best: DayVotes, days: readonly DayVotes[], label: string, frame: Frame): PictureNode {
  const top = plot.bottom - heightOf(best.votes, frame) - labelHeight - 2;
  const style = { color: colors.text, fontWeight: 600, backgroundColor: colors.background, padding: '0 4px' };
  return centered(label, { index: days.indexOf(best), top, minLeft: frame.left }, frame, style);
}

/** A text centred on a bar, moved to the right if it would begin left of `minLeft`. */
function centered(
  text: string,
  { index, top, minLeft = 0 }: { readonly index: number; readonly top: number; readonly minLeft?: number },
  frame: Frame,
  style: PictureNode['style'] = {},
): PictureNode {
  const space = 240;
  const center = Math.max(frame.left + (index + 0.5) * frame.step, minLeft + widthOf(text) / 2);
  return box(
    { left: center - space / 2, top, width: space, height: labelHeight, ...alignedTo('center') },
    line(text, { color: colors.quiet, fontSize: labelSize, ...style }),
  );
}

function averageLine(
  average: number,
  { word, value }: { readonly word: string; readonly value: string },
  frame: Frame,
): PictureNode[] {
  const y = plot.bottom - heightOf(average, frame);
  const dash = `repeating-linear-gradient(to right, ${colors.average} 0px 6px, transparent 6px 10px)`;
  const text = { color: colors.average, lineHeight: 1.2 };
  const place = {
    left: frame.right + averageGap,
    top: Math.min(y, plot.bottom - labelHeight) - labelHeight,
    height: 2 * labelHeight,
  };
  return [
    box({ left: frame.left, top: y - 1, width: frame.right - frame.left, height: 2, backgroundImage: dash }),
    box(
      { ...place, display: 'flex', flexDirection: 'column' },
      line(word, { ...text, fontSize: averageSize }),
      line(value, { ...text, fontSize: labelSize, fontWeight: 600 }),
    ),
  ];
}

function widthOf(label: string, size: number = labelSize): number {
  return label.length * 0.6 * size;
}

function alignedTo(justifyContent: 'center' | 'flex-end') {
  return { display: 'flex', alignItems: 'center', justifyContent };
}
