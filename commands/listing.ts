import type { BotProfile, ServerProfile } from '../src/lookup/schemas.ts';
import { escapeName, type Markup } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { CommandInput, CommandOption, ListedLookup, OptionChoice } from './command.ts';

/** Discord takes at most so many choices. */
const mostChoices = 25;

/** The option that says which listing is meant; where each is the only one of its kind, the choices are the kinds. */
export function listingOption(listings: readonly ListedLookup[], texts: Texts): CommandOption {
  const choices = listings.slice(0, mostChoices).map((listed): OptionChoice => {
    const isOnly = isOnlyOfItsKind(listed, listings);
    return { name: isOnly ? texts.listing.kinds[listed.lookup.kind] : listed.name, value: choiceOf(listed, listings) };
  });
  return { type: 'string', name: 'listing', description: texts.listing.option, choices };
}

/**
 * The listing that was chosen; the first for no choice or for one that is not there any more.
 * @throws Error where there is none at all; `isServedBy` keeps such a command from being offered
 */
export function chosenListing(asked: CommandInput, listings: readonly ListedLookup[]): ListedLookup {
  const choice = asked.options['listing'];
  const chosen = listings.find((listed) => choiceOf(listed, listings) === choice) ?? listings[0];
  if (chosen === undefined) throw new Error('A command was asked although no listing can serve it.');
  return chosen;
}

/** The listing's own name, as the service knows it. */
export function listingLabel(profile: ServerProfile | BotProfile, texts: Texts): Markup {
  return escapeName(profile.name, 100) || texts.listing.nameless[profile.kind];
}

function isOnlyOfItsKind(listed: ListedLookup, listings: readonly ListedLookup[]): boolean {
  return listings.every((other) => other === listed || other.lookup.kind !== listed.lookup.kind);
}

function choiceOf(listed: ListedLookup, listings: readonly ListedLookup[]): string {
  return isOnlyOfItsKind(listed, listings) ? listed.lookup.kind : listed.name;
}
