/** More than the largest limit of any text here, and of Discord (6,000 characters); text beyond it is ignored. */
const maxInputLength = 16_384;
/** Printable ASCII and Latin letters with single spaces. Most texts match, and need no normalization. */
const normalized = /^(?:[!-~¡-¬®-ɏ]+(?: [!-~¡-¬®-ɏ]+)*)?$/;

/**
 * Invisible characters: controls, direction marks, zero-width characters, fillers. Kept are variation selectors and
 * joiners of emoji, and joiners between letters of the scripts whose spelling needs them.
 */
const invisible =
  /(?![\n\t]|\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<!\p{Emoji})(?:\uFE0E|\uFE0F)|(?!(?<=\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)\u200D(?=\p{Extended_Pictographic})|(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}\p{scx=Khmr}\p{scx=Mymr}])(?:\u200C|\u200D)(?=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}\p{scx=Khmr}\p{scx=Mymr}]))(?:\u200C|\u200D)/gu;
const excessMarks = /(\p{M}{4})\p{M}+/gu;

/**
 * External text of several lines as it may be stored and shown: well-formed, without invisible characters (also NUL,
 * which PostgreSQL rejects) and direction marks, with at most four combining marks in a row, one space between words,
 * and one empty line between paragraphs.
 */
export function normalizeText(text: string): string {
  if (isNormalized(text)) return text;
  return text
    .slice(0, maxInputLength)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(invisible, '')
    .replace(excessMarks, '$1')
    .replace(/(?:[^\S\n]|\u2800)+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Normalizes a text and puts it on one line, for names and titles. */
export function normalizeLine(text: string): string {
  return isNormalized(text) ? text : normalizeText(text).replace(/\s+/g, ' ');
}

function isNormalized(text: string): boolean {
  return text.length <= maxInputLength && normalized.test(text);
}

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
