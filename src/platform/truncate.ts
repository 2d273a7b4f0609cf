import { normalizeLine } from './normalize-text.ts';

const ellipsis = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Formats the longest prefix, cut at a grapheme boundary, whose formatted length fits with an ellipsis. */
export function truncateAs<Formatted extends string>(
  format: (text: string) => Formatted,
  text: string,
  limit: number,
): Formatted {
  const formatted = format(text);
  if (formatted.length <= limit) return formatted;
  if (limit < ellipsis.length) return '' as Formatted;
  const formatPrefix = (end: number) => format(text.slice(0, end).trimEnd());
  // Binary search: a longer prefix never has a shorter format, except that formatting may remove a trailing backslash.
  let [fits, tooLong] = [0, Math.min(text.length, limit) + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (formatPrefix(middle).length + ellipsis.length <= limit) fits = middle;
    else tooLong = middle;
  }
  const boundary = graphemes.segment(text).containing(fits)?.index ?? fits;
  return `${formatPrefix(boundary)}${ellipsis}` as Formatted;
}

/** External text on one line, for places without markup (footers, labels). */
export function plainName(text: string, limit = Number.POSITIVE_INFINITY): string {
  return cut(normalizeLine(text), limit);
}

/** The text, truncated to `limit` at a grapheme boundary, with an ellipsis. */
export function cut(text: string, limit: number): string {
  return truncateAs((part) => part, text, limit);
}
