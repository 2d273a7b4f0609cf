import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { findChoice, maxChoices, searchChoices } from '../src/discord/commands/choices.ts';
import type {
  CommandChoice,
  CommandOption,
  DescriptionContext,
  ListedLookup,
} from '../src/discord/commands/command.ts';
import type { CommandInput, CompletionInput } from '../src/discord/commands/input.ts';
import { InputError } from '../src/discord/commands/input-error.ts';
import type { ReplyButton } from '../src/discord/commands/reply.ts';
import type { CachedValue, Lookup } from '../src/lookup/lookup.ts';
import type { BotProfile, ServerProfile } from '../src/lookup/schemas.ts';
import { closest } from '../src/platform/did-you-mean.ts';
import { memoizeByIdentity } from '../src/platform/memoize.ts';
import { plainName } from '../src/platform/truncate.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import { escapeName, type Markup, timestamp } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { CommandContext } from './context.ts';

/** Longer names are truncated (characters). */
const maxNameLength = 100;

/** Longer text that was entered as a listing is truncated (characters); the names of listings are shorter. */
const maxTypedLength = 100;
/** How many listings are named if the entered one does not exist. */
const maxSuggestions = 10;

/**
 * The option that selects a listing. Its choices are the names of the listings, or the kind of a listing that is the
 * only one of its kind. More than Discord allows, or those that depend on the guild, are offered while the member types
 * ({@link completeListing}).
 */
export function listingOption({ listings, isShared, texts }: DescriptionContext): CommandOption {
  const option = {
    type: ApplicationCommandOptionType.String,
    name: 'listing',
    description: texts.listing.option,
  } as const;
  return isShared || listings.length > maxChoices
    ? { ...option, autocomplete: true }
    : { ...option, choices: choicesFor(listings, texts) };
}

/** The listings that match what the member has typed, the best first. For `autocomplete` of a command. */
export async function completeListing(
  { typed }: Pick<CompletionInput, 'typed'>,
  { listings, texts }: Pick<CommandContext, 'listings' | 'texts'>,
): Promise<readonly CommandChoice[]> {
  return searchChoices(typed.slice(0, maxTypedLength), choicesFor(listings, texts));
}

/**
 * The selected listing; the first one if none is selected, or a choice that no longer exists.
 * @throws InputError if the name was typed and no listing has it
 * @throws Error if there are no listings; such a command is not registered (`isServedBy`)
 */
export function selectedListing(input: CommandInput, { listings, isShared, texts }: DescriptionContext): ListedLookup {
  const [first] = listings;
  if (first === undefined) throw new Error('No listing supports the command.');
  const choice = input.options['listing'];
  if (choice === undefined) return first;
  const selected = listings.find((candidate) => choiceOf(candidate, listings) === choice);
  if (selected !== undefined || (!isShared && listings.length <= maxChoices)) return selected ?? first;
  const typed = String(choice).slice(0, maxTypedLength);
  const choices = choicesFor(listings, texts);
  const value = findChoice(typed, choices)?.value;
  const named = listings.find((candidate) => choiceOf(candidate, listings) === value);
  if (named === undefined) throw new InputError(describeUnknown(typed, choices, texts));
  return named;
}

/** The value of the option that selects the listing, for components. */
export function choiceOf(listing: ListedLookup, listings: readonly ListedLookup[]): string {
  return isOnlyOfItsKind(listing, listings) ? listing.lookup.kind : listing.name;
}

function choicesFor(listings: readonly ListedLookup[], texts: Texts): CommandChoice[] {
  return listings.map((listing) => {
    const isOnly = isOnlyOfItsKind(listing, listings);
    return {
      name: isOnly ? texts.listing.kinds[listing.lookup.kind] : listing.name,
      value: choiceOf(listing, listings),
    };
  });
}

/** Names those that look most like it, or else the first ones. */
function describeUnknown(typed: string, choices: readonly CommandChoice[], texts: Texts): Markup {
  const names = choices.map(({ name }) => name);
  const similar = [...searchChoices(typed, choices).map(({ name }) => name), closest(typed, names) ?? []].flat();
  const shown = [...new Set([...similar, ...names])].slice(0, maxSuggestions);
  const list = texts.list(shown.map((name) => escapeName(name, maxNameLength)));
  return texts.listing.unknown(escapeName(typed, maxNameLength), list, choices.length - shown.length);
}

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

/** The same of a listing by its configured name; undefined for one that has no key. */
export async function findListingPage(
  name: string,
  { listings, ...context }: Pick<CommandContext, 'listings' | 'texts' | 'clock'>,
): Promise<ListingPage | undefined> {
  const listed = listings.find((each) => each.name === name);
  return listed && fetchListingPage(listed.lookup, context);
}

/** The cache returns the same profile to all commands until it expires, so that what shows its page is rendered once. */
export const listingPage = memoizeByIdentity(
  (profile: ServerProfile | BotProfile, texts: Texts): ListingPage => ({
    name: listingName(profile, texts),
    plainName: plainName(profile.name),
    url: profile.url,
  }),
);

/** In place of the page of a listing whose profile is not available. */
export const unknownPage = memoizeByIdentity(
  ({ kind }: Pick<Lookup, 'kind'>, texts: Texts): ListingPage => ({
    name: texts.listing.unnamed[kind],
    plainName: '',
    url: null,
  }),
);

/** The button to the page where members vote; none without a URL. The same again, so that it is rendered once. */
export const voteButtons = memoizeByIdentity(({ url }: ListingPage, texts: Texts): readonly ReplyButton[] =>
  url ? [{ kind: 'link', label: texts.canVote.voteButton, url }] : [],
);

export interface ListedPage {
  readonly listed: ListedLookup;
  readonly page: ListingPage;
}

/** One of the buttons for several listings: named by its site, unless several of them are on it. None without a URL. */
export function voteLinkTo(
  { listed, page }: ListedPage,
  all: readonly ListedPage[],
  { canVote }: Texts,
): readonly ReplyButton[] {
  if (page.url === null) return [];
  const isOnly = all.every((other) => other.listed === listed || other.listed.site?.name !== listed.site?.name);
  const label =
    listed.site !== undefined && isOnly
      ? canVote.voteOn(listed.site.name)
      : canVote.voteFor(page.plainName || listed.name);
  return [{ kind: 'link', label, url: page.url }];
}
