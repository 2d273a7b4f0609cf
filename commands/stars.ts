import { grouped, joined, type Markup, markup } from '../src/markup.ts';

const full = markup`★`;
const empty = markup`☆`;

/** A rating as stars. The document does not say its range: what five stars cannot show exactly is also said as a number. */
export function stars(rating: number): Markup {
  if (rating < 0 || rating > 5) return markup`${full} ${grouped(rating)}`;
  const row = joined(
    Array.from({ length: 5 }, (_, place) => (place < Math.round(rating) ? full : empty)),
    '',
  );
  return Number.isInteger(rating) ? row : markup`${row} ${grouped(rating)}`;
}
