import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';

/** Plain texts: a picture has no markup. */
export function votePictureTexts(
  { description, ...words }: Catalogue['votePicture'],
  { locale, plain }: Pick<Language, 'locale' | 'plain'>,
) {
  const dates = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', day: 'numeric' });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  return {
    words,
    /** The alt text. `first`, `last` and `best` are days: their start in UTC (ms since the epoch). */
    description: (of: Readonly<Record<'first' | 'last' | 'best' | 'total' | 'average' | 'maximum', number>>) =>
      plain(description, {
        first: dates.format(of.first),
        last: dates.format(of.last),
        best: dates.format(of.best),
        ...{
          total: numbers.format(of.total),
          average: numbers.format(of.average),
          maximum: numbers.format(of.maximum),
        },
      }),
  };
}
