import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { CachedValue } from '../src/lookup/lookup.ts';
import type { BotProfile, ServerProfile } from '../src/lookup/schemas.ts';
import { memoizeByIdentity } from '../src/platform/memoize.ts';
import { escapeName, type Markup, timestamp } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { CommandInput, CommandOption, ListedLookup } from './command.ts';

/** Discord: "Application Command Option Structure", `choices`. */
const maxChoices = 25;
/** Longer names are truncated (characters). */
const maxNameLength = 100;

/**
 * The option that selects a listing. Its choices are the names of the listings, or the kind of a listing that is the
 * only one of its kind.
 */
export function listingOption(listings: readonly ListedLookup[], texts: Texts): CommandOption {
  const choices = listings.slice(0, maxChoices).map((listing) => {
    const isOnly = isOnlyOfItsKind(listing, listings);
    return {
      name: isOnly ? texts.listing.kinds[listing.lookup.kind] : listing.name,
      value: choiceOf(listing, listings),
    };
  });
  return { type: ApplicationCommandOptionType.String, name: 'listing', description: texts.listing.option, choices };
}

/**
 * The selected listing; the first one if none is selected or it no longer exists.
 * @throws Error if there are no listings; such a command is not registered (`isServedBy`)
 */
export function selectedListing(input: CommandInput, listings: readonly ListedLookup[]): ListedLookup {
  const choice = input.options['listing'];
  const listing = listings.find((candidate) => choiceOf(candidate, listings) === choice) ?? listings[0];
  if (listing === undefined) throw new Error('No listing supports the command.');
  return listing;
}

/** The name of the listing on the service. */
export const listingName = memoizeByIdentity(
  (profile: ServerProfile | BotProfile, texts: Texts): Markup =>
    escapeName(profile.name, maxNameLength) || texts.listing.unnamed[profile.kind],
);

/** A line with the age of the value if it is stale; null if it is fresh. */
export function staleNote({ stale, asOf }: CachedValue<unknown>, texts: Texts): Markup | null {
  return stale ? texts.listing.asOf(timestamp(asOf, 'R')) : null;
}

function isOnlyOfItsKind(listing: ListedLookup, listings: readonly ListedLookup[]): boolean {
  return listings.every((other) => other === listing || other.lookup.kind !== listing.lookup.kind);
}

function choiceOf(listing: ListedLookup, listings: readonly ListedLookup[]): string {
  return isOnlyOfItsKind(listing, listings) ? listing.lookup.kind : listing.name;
}
