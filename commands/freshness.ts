import type { Known } from '../src/lookup/lookup.ts';
import { type Markup, timestamp } from '../src/markup.ts';
import type { Texts } from '../src/texts/texts.ts';

/** A line that says how old an answer is when the service could not be asked; null while it is fresh. */
export function staleness(known: Known<unknown>, texts: Texts): Markup | null {
  return known.stale ? texts.listing.asOf(timestamp(known.asOf, 'R')) : null;
}
