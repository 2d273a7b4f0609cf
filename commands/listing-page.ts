import type { Lookup } from '../src/lookup/lookup.ts';
import type { BotProfile, ServerProfile } from '../src/lookup/schemas.ts';
import { plainName } from '../src/platform/truncate.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import type { Markup } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { CommandContext } from './context.ts';
import { listingName } from './listing.ts';

/** The page only adds a name and a link, so a reply does not wait longer than this for it (ms). */
const timeoutMs = 600;

/** The public page of a listing. */
export interface ListingPage {
  readonly name: Markup;
  /** The same name for places without markup; empty for a listing without a name. */
  readonly plainName: string;
  readonly url: string | null;
}

/** Undefined if the profile is not available in time: the reply is complete without it. */
export function fetchListingPage(
  lookup: Lookup,
  { texts, clock }: Pick<CommandContext, 'texts' | 'clock'>,
): Promise<ListingPage | undefined> {
  const page = lookup.profile().then(({ value }) => listingPage(value, texts));
  return settleWithin(timeoutMs, clock, page);
}

export function listingPage(profile: ServerProfile | BotProfile, texts: Texts): ListingPage {
  return { name: listingName(profile, texts), plainName: plainName(profile.name), url: profile.url };
}
