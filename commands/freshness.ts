import type { CachedValue } from '../src/lookup/lookup.ts';
import { type Markup, timestamp } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';

/** A line that says how old an answer is when the service could not be asked; null while it is fresh. */
export function staleness(known: CachedValue<unknown>, texts: Texts): Markup | null {
  return known.stale ? texts.listing.asOf(timestamp(known.asOf, 'R')) : null;
}
