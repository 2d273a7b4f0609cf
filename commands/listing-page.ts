import type { Lookup } from '../src/lookup/lookup.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import type { Markup } from '../src/texts/markup.ts';
import type { CommandContext } from './command.ts';
import { listingName } from './listing.ts';

/** The page only adds a name and a link, so a reply does not wait longer than this for it (ms). */
const timeoutMs = 600;

/** The public page of a listing. */
export interface ListingPage {
  readonly name: Markup;
  readonly url: string | null;
}

/** Undefined if the profile is not available in time: the reply is complete without it. */
export function fetchListingPage(
  lookup: Lookup,
  { texts, clock }: Pick<CommandContext, 'texts' | 'clock'>,
): Promise<ListingPage | undefined> {
  const page = lookup.profile().then(({ value }) => ({ name: listingName(value, texts), url: value.url }));
  return settleWithin(timeoutMs, clock, page);
}
