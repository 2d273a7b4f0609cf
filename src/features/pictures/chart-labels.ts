import { day as dayMs } from '@tallyhook/platform/durations';
import { isDrawable } from '@tallyhook/platform/pictures/fonts';

/** Numbers and dates of a language that the font can draw. Days are day numbers. */
export interface ChartLabels {
  number(value: number): string;
  day(day: number): string;
  days(first: number, last: number): string;
}

/** Spaces of other widths, and direction marks. */
const spaces = /[\u00A0\u2009\u202F]/g;
const marks = /[\u200E\u200F\u061C]/g;

/** Creating formatters takes a millisecond. There are only as many as languages. */
const labelsByLocale = new Map<string, ChartLabels>();

/** Month names where the font can draw them, otherwise numbers alone. @param locale BCP-47 language tag */
export function chartLabels(locale: string): ChartLabels {
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
