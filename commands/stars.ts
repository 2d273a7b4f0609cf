import { grouped, type Markup, markup, repeated } from '../src/texts/markup.ts';

const full = markup`★`;
const empty = markup`☆`;

/** A rating as stars. The document does not say its range: what five stars cannot show exactly is also said as a number. */
export function stars(rating: number): Markup {
  if (rating < 0 || rating > 5) return markup`${full} ${grouped(rating)}`;
  const shining = Math.round(rating);
  const row = markup`${repeated(full, shining)}${repeated(empty, 5 - shining)}`;
  return Number.isInteger(rating) ? row : markup`${row} ${grouped(rating)}`;
}
