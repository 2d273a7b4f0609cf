import { closest } from '@tallyhook/platform/did-you-mean';
import { bold, escapeName, type Markup, subtext, timestamp } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { findChoice, searchChoices } from '../src/discord/commands/choices.ts';
import {
  type CommandChoice,
  type CommandInput,
  type CommandOption,
  type CompletionInput,
  type DescriptionContext,
  InputError,
  type ListedLookup,
} from '../src/discord/commands/command.ts';
import { displayNameOf, findListingPage } from '../src/discord/commands/listing-page.ts';
import type { OptionValue, Panel } from '../src/discord/commands/reply.ts';
import type { CoveredCommunity } from '../src/features/communities/listings.ts';
import type { CachedValue } from '../src/lookup/lookup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { CommandContext } from './context.ts';

const maxNameLength = 100;

/** Longer text that was entered as a listing is truncated (characters); the names of listings are shorter. */
const maxTypedLength = 100;
const maxSuggestions = 10;

/**
 * The option that selects a listing. Its choices are the kinds of the listings, if each is the only one of its kind.
 * Otherwise they are names, which change without the program, and are offered while the member types
 * ({@link completeListing}).
 */
export function listingOption({ listings, isShared, texts }: DescriptionContext): CommandOption {
  const option = {
    type: ApplicationCommandOptionType.String,
    name: 'listing',
    description: texts.text('listing.option'),
  } as const;
  return isTyped({ listings, isShared })
    ? { ...option, autocomplete: true }
    : { ...option, choices: choicesFor(listings, texts) };
}

function isTyped({ listings, isShared }: Pick<DescriptionContext, 'listings' | 'isShared'>): boolean {
  return isShared || !listings.every((listing) => isOnlyOfItsKind(listing, listings));
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
  if (selected !== undefined || !isTyped({ listings, isShared })) return selected ?? first;
  // A choice from before another one of its kind was linked.
  const ofKind = listings.find(({ lookup }) => lookup.kind === choice);
  if (ofKind !== undefined) return ofKind;
  const typed = String(choice).slice(0, maxTypedLength);
  const choices = choicesFor(listings, texts);
  const value = findChoice(typed, choices)?.value;
  const named = listings.find((candidate) => choiceOf(candidate, listings) === value);
  if (named === undefined) throw new InputError(describeUnknown(typed, choices, texts));
  return named;
}

export function choiceOf(listing: ListedLookup, listings: readonly ListedLookup[]): string {
  return isOnlyOfItsKind(listing, listings) ? listing.lookup.kind : listing.name;
}

function choicesFor(listings: readonly ListedLookup[], texts: Texts): CommandChoice[] {
  const choices = listings.map((listing) => {
    const kind = texts.text(`listing.kinds.${listing.lookup.kind}`);
    const name = isOnlyOfItsKind(listing, listings) ? kind : plainName(displayNameOf(listing), maxNameLength);
    return { kind, name, value: choiceOf(listing, listings) };
  });
  return choices.map(({ kind, name, value }) => {
    // A server and its bot may have one name.
    const isShared = choices.some((other) => other.name === name && other.kind !== kind);
    return { name: isShared ? `${plainName(name, maxNameLength - kind.length - 3)} (${kind})` : name, value };
  });
}

/** Names those that look most like it, or else the first ones. */
function describeUnknown(typed: string, choices: readonly CommandChoice[], texts: Texts): Markup {
  const names = choices.map(({ name }) => name);
  const similar = [...searchChoices(typed, choices).map(({ name }) => name), closest(typed, names) ?? []].flat();
  const shown = [...new Set([...similar, ...names])].slice(0, maxSuggestions);
  const list = texts.list(shown.map((name) => escapeName(name, maxNameLength)));
  const values = { name: bold(escapeName(typed, maxNameLength)), names: list };
  const more = choices.length - shown.length;
  return more === 0
    ? texts.text('listing.unknown', values)
    : texts.text('listing.unknownOfMany', { ...values, count: more });
}

/** A line with the age of the value if it is stale; null if it is fresh. */
export function staleNote({ stale, asOf }: CachedValue<unknown>, texts: Texts): Markup | null {
  return stale ? subtext(texts.text('listing.asOf', { time: timestamp(asOf, 'R') })) : null;
}

function isOnlyOfItsKind(listing: ListedLookup, listings: readonly ListedLookup[]): boolean {
  return listings.every((other) => other === listing || other.lookup.kind !== listing.lookup.kind);
}

/** Discord: "Select Menu". */
const maxChoices = 25;
const maxLabelLength = 100;

interface ChosenCommunity {
  /** Null if the program has only one. */
  readonly community: CoveredCommunity | null;
  /** For the components of the reply, so that they are about the same community. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

/**
 * The community that the member has chosen, or the only one; null if one must be chosen ({@link communityChoice}).
 * @param id the option `community`; undefined if none was chosen
 * @throws InputError if it is not one of the communities that the command covers
 */
export function chosenCommunity(
  id: OptionValue | undefined,
  { communities, texts }: Pick<CommandContext, 'communities' | 'texts'>,
): ChosenCommunity | null {
  const covered = communities ?? [];
  if (id === undefined) return covered.length > 1 ? null : { community: covered[0] ?? null, options: {} };
  const community = covered.find((each) => each.id === id);
  if (community === undefined) throw new InputError(texts.text('failure.unknownButton'));
  return { community, options: covered.length > 1 ? { community: community.id } : {} };
}

/** Offers the first 25 communities by the action `community`, whose value {@link chosenCommunity} reads. */
export async function communityChoice(
  { title, options = {} }: { readonly title: Markup; readonly options?: Readonly<Record<string, OptionValue>> },
  context: CommandContext,
): Promise<Panel> {
  const offered = (context.communities ?? []).slice(0, maxChoices);
  const choices = await Promise.all(
    offered.map(async (community) => ({ label: await plainTitleOf(community, context), value: community.id })),
  );
  return {
    kind: 'panel',
    tone: 'plain',
    title,
    blocks: [
      { kind: 'text', text: context.texts.text('listing.severalCommunities') },
      { kind: 'select', select: { kind: 'choices', action: 'community', options, choices } },
    ],
    response: 'update',
  };
}

async function plainTitleOf({ rules, listings }: CoveredCommunity, context: CommandContext): Promise<string> {
  const names = await Promise.all(
    rules.map(async ({ name }) => (await findListingPage(name, { ...context, listings })).plainName),
  );
  return plainName(context.texts.list(names), maxLabelLength);
}
