import { hour, second } from '@tallyhook/platform/durations';
import { once } from '@tallyhook/platform/memoize';
import { bold, lines, type Markup, mention, timestamp } from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { LastVotes } from '../src/core/ledger/account.ts';
import { type ListedLookup, memberOption, offersAt } from '../src/discord/commands/command.ts';
import {
  boldNameOnSite,
  displayNameOf,
  fetchListingPage,
  type ListedPage,
  type ListingPage,
  listingPage,
  voteButtons,
  voteLinkTo,
} from '../src/discord/commands/listing-page.ts';
import type { Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import { nextVoteFor, type StatedNextVote } from '../src/features/next-votes/store.ts';
import type { CachedValue, VoteStatus } from '../src/lookup/lookup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandContext } from './context.ts';
import { completeListing, listingOption, selectedListing, staleNote } from './listing.ts';

/** Says when a user may vote again (document, section 2.4). */
export const canvote = {
  name: 'canvote',
  visibility: 'private',
  availability: 'everywhere',
  isServedBy: (listings) => listings.length > 0,
  describe: ({ listings, isShared, texts }) => ({
    description: texts.text('canVote.description'),
    options: [
      { type: ApplicationCommandOptionType.User, name: 'user', description: texts.text('canVote.userOption') },
      ...(isShared || listings.length > 1 ? [listingOption({ listings, isShared, texts })] : []),
    ],
  }),
  autocomplete: completeListing,
  async execute(input, context) {
    const selected = selectedListing(input, context);
    const { lookup } = selected;
    const voter = memberOption(input, 'user', input.userId, context.texts);
    const isOwn = voter === input.userId;
    const all = input.options['listing'] === undefined ? context.listings : [selected];
    if (all.some(({ site, isSilent }) => site !== undefined || isSilent))
      return canVoteEverywhere(all, { voter, isOwn }, context);
    const otherButtons: OtherListingButtons = isOwn ? otherListingButtons(selected, voter, context) : async () => [];
    const pageLookup = fetchListingPage(selected, context);
    const status = await lookup.voteStatus(voter);
    return renderStatus(status, await pageLookup, isOwn ? null : mention(voter), await otherButtons(), context);
  },
} as const satisfies Command;

/** @param user another member than the one who asks; null for the latter */
function renderStatus(
  status: CachedValue<VoteStatus>,
  page: ListingPage,
  user: Markup | null,
  otherButtons: readonly ReplyButton[],
  context: CommandContext,
): Reply {
  const { clock, texts } = context;
  const { lastVoteAt, nextVoteAt } = status.value;
  const details = [
    lastVoteAt === null ? null : texts.text('canVote.lastVote', { time: timestamp(lastVoteAt, 'R') }),
    staleNote(status, texts),
  ];
  // In a stale status, a cooldown may have ended since the service sent it.
  const hasEnded = status.stale && nextVoteAt !== null && nextVoteAt <= clock.now();
  if (status.value.canVote || hasEnded) {
    const name = bold(page.name);
    const text =
      user === null ? texts.text('canVote.youNow', { name }) : texts.text('canVote.memberNow', { user, name });
    const reply: Reply = {
      tone: 'good',
      title: texts.text('canVote.titleNow'),
      text,
      buttons: voteButtons(page, texts),
    };
    return addTo(reply, details, otherButtons);
  }
  const isInFuture = nextVoteAt !== null && nextVoteAt > clock.now();
  const nextVote = isInFuture ? timestamp(nextVoteAt, 'R') : null;
  const reply: Reply = {
    tone: 'wait',
    title: texts.text('canVote.titleLater'),
    text: laterText(user, bold(page.name), nextVote, texts),
    buttons: [...(user === null ? offersAt('vote', context.commands, texts) : []), ...voteButtons(page, texts)],
  };
  return addTo(reply, details, user === null ? otherButtons : []);
}

function addTo(reply: Reply, details: readonly (Markup | null)[], buttons: readonly ReplyButton[]): Reply {
  const added = details.filter((detail) => detail !== null);
  if (added.length + buttons.length === 0) return reply;
  return { ...reply, text: lines(reply.text, ...added), buttons: [...(reply.buttons ?? []), ...buttons] };
}

/** Most buttons of a row: one is for the listing itself. */
const maxButtons = 4;
/** Listings that are looked up in the cache: the first of many that the ledger does not rule out. */
const maxCandidates = 8;
/** How long a complete reply waits for these buttons (ms): only for pages that were never requested before. */
const waitMs = 100;

/** Returns the buttons when the rest of the reply is complete: those that are known then. Never rejects. */
type OtherListingButtons = () => Promise<readonly ReplyButton[]>;

/**
 * Starts to look up which other listings a member can vote for now, and their pages. The ledger and the cache decide,
 * without a request to the service, so a vote that neither of them knows is overlooked. Only a page that the cache does
 * not have is requested.
 */
function otherListingButtons(
  selected: ListedLookup,
  userId: string,
  context: Pick<CommandContext, 'listings' | 'rules' | 'standings' | 'communities' | 'nextVotesOf' | 'texts' | 'clock'>,
): OtherListingButtons {
  const { texts, clock } = context;
  const others = context.listings.filter((listing) => listing !== selected);
  if (others.length === 0) return async () => [];
  /** By listing, because a slow page must not hold up the others. */
  const found = new Map<string, ReplyButton>();
  const search = findAll();
  // Handled by the function below, which is not called if the command fails.
  search.catch(() => {});

  async function findAll(): Promise<void> {
    const votes = await knownVotesOf(userId, context);
    const candidates: ListedLookup[] = [];
    for (const listing of others) {
      if (candidates.length === maxCandidates) break;
      if (cooldownEndOf(listing.name, votes, context) === null) candidates.push(listing);
    }
    await Promise.all(candidates.map(find));
  }

  async function find(listing: ListedLookup): Promise<void> {
    const { name, lookup } = listing;
    const [status, page] = await Promise.all([lookup.cached.voteStatus(userId), pageOf(listing)]);
    if (status?.canVote === false) return;
    const { plainName, url } = page;
    const label = texts.text('canVote.voteFor', { name: plainName || displayNameOf(listing) });
    if (url) found.set(name, { kind: 'link', label, url });
  }

  async function pageOf(listing: ListedLookup): Promise<ListingPage> {
    const profile = await listing.lookup.cached.profile();
    return profile === null ? fetchListingPage(listing, context) : listingPage(profile, texts);
  }

  return async () => {
    await settleWithin(waitMs, clock, search);
    return others.flatMap(({ name }) => found.get(name) ?? []).slice(0, maxButtons);
  };
}

/** A site that takes longer to say whether the member has voted is not waited for (ms). */
const timeoutMs = 3 * second;
/** A message has room for 25 buttons, of which one has another purpose. The sites of further listings are not asked. */
const maxListings = 24;
const defaultCooldownMs = 12 * hour;

/** A member's chance to vote for a listing. `perhaps`: neither its site nor the ledger says that a cooldown runs or not. */
type Chance =
  | { readonly when: 'now' | 'perhaps' }
  /** `at`: ms since the epoch; null if it is not known. */
  | { readonly when: 'later'; readonly at: number | null };

interface ListedChance {
  readonly listed: ListedLookup;
  readonly chance: Chance;
}

/** A listing with its page, and whether a member may vote for it. */
export interface VotableListing extends ListedPage, ListedChance {}

interface Voter {
  readonly voter: string;
  /** True if a member asks about their own votes, false if about those of another member. */
  readonly isOwn: boolean;
}

async function canVoteEverywhere(
  listings: readonly ListedLookup[],
  voter: Voter,
  context: CommandContext,
): Promise<Reply> {
  const chances = await readChances(listings.slice(0, maxListings), voter, context);
  return render(await withPages(chances, context), voter.isOwn ? null : mention(voter.voter), context);
}

/**
 * A member's chances to vote for the listings: first those that can be voted for now, then perhaps, then later. The
 * sites are asked about the member who runs the command; for others, only the ledger and the cache are used.
 */
export async function readChances(
  listings: readonly ListedLookup[],
  { voter, isOwn }: Voter,
  context: CommandContext,
): Promise<readonly ListedChance[]> {
  const [ask, remember] = [askSites(voter, context), recall(voter, context)];
  const found = await Promise.all(
    listings.map(async (listed, index): Promise<ListedChance> => {
      return { listed, chance: await (isOwn && index < maxListings ? ask : remember)(listed) };
    }),
  );
  return found.toSorted((a, b) => orderOf(a.chance) - orderOf(b.chance));
}

function orderOf(chance: Chance): number {
  if (chance.when === 'later') return chance.at ?? Number.MAX_VALUE;
  return chance.when === 'now' ? Number.NEGATIVE_INFINITY : Number.MIN_SAFE_INTEGER;
}

/** Adds the pages of the listings, of each what is known in time. */
export function withPages(chances: readonly ListedChance[], context: CommandContext): Promise<VotableListing[]> {
  return Promise.all(
    chances.map(async ({ listed, chance }) => {
      return { listed, chance, page: await fetchListingPage(listed, context) };
    }),
  );
}

function askSites(voter: string, { clock }: CommandContext): (listed: ListedLookup) => Promise<Chance> {
  return async ({ lookup }) => {
    const status = await settleWithin(timeoutMs, clock, lookup.voteStatus(voter));
    if (status === undefined) return { when: 'perhaps' };
    const { canVote, nextVoteAt } = status.value;
    const isRunning = !canVote && (nextVoteAt === null || clock.now() < nextVoteAt);
    if (isRunning) return { when: 'later', at: nextVoteAt };
    return { when: status.stale ? 'perhaps' : 'now' };
  };
}

function recall(voter: string, context: CommandContext): (listed: ListedLookup) => Promise<Chance> {
  const votes = once(() => knownVotesOf(voter, context));
  return async ({ name, lookup }) => {
    const at = cooldownEndOf(name, await votes(), context);
    if (at !== null) return { when: 'later', at };
    const known = await lookup.cached.voteStatus(voter);
    return known?.canVote === false ? { when: 'later', at: known.nextVoteAt } : { when: 'perhaps' };
  };
}

type KnownVotes = readonly [last: LastVotes, stated: readonly StatedNextVote[]];

function knownVotesOf(
  userId: string,
  context: Pick<CommandContext, 'communities' | 'standings' | 'nextVotesOf'>,
): Promise<KnownVotes> {
  return Promise.all([lastVotesOf(userId, context), context.nextVotesOf(userId)]);
}

/** Each community has only votes for its own listings, whose names are unique. */
async function lastVotesOf(
  userId: string,
  context: Pick<CommandContext, 'communities' | 'standings'>,
): Promise<LastVotes> {
  const covered = context.communities ?? [];
  const accounts = covered.length === 0 ? [context] : covered;
  return Object.assign({}, ...(await Promise.all(accounts.map(({ standings }) => standings.lastVotes(userId)))));
}

/** When the cooldown of a listing ends (ms since the epoch); null if none is known to run. */
function cooldownEndOf(
  name: string,
  votes: KnownVotes,
  { rules, clock }: Pick<CommandContext, 'rules' | 'clock'>,
): number | null {
  const { cooldownMs = defaultCooldownMs, names = [name] } = rules.find((each) => each.name === name) ?? {};
  const vote = nextVoteFor({ names, cooldownMs }, ...votes);
  return vote !== null && clock.now() < vote.nextVoteAt ? vote.nextVoteAt : null;
}

function render(all: readonly VotableListing[], user: Markup | null, context: CommandContext): Reply {
  const { texts, commands } = context;
  const now = all.filter(({ chance }) => chance.when === 'now');
  const perhaps = all.filter(({ chance }) => chance.when === 'perhaps');
  const later = all.filter(({ chance }) => chance.when === 'later');
  const nameOf = (listing: VotableListing) => boldNameOnSite(listing, texts);
  const text = lines(
    now.length === 0 ? null : chanceOf('Now', user, texts.list(now.map(nameOf)), texts),
    perhaps.length === 0 ? null : chanceOf('Perhaps', user, texts.list(perhaps.map(nameOf)), texts),
    ...later.map((each) => chanceText(user, each, texts)),
  );
  const links = all.flatMap((each) => voteLinkTo(each, all, texts));
  const buttons = now.length === 0 && user === null ? [...links, ...offersAt('vote', commands, texts)] : links;
  if (now.length + perhaps.length === 0) {
    return { tone: 'wait', title: texts.text('canVote.titleLater'), text, buttons };
  }
  const title = now.length === 0 ? {} : { title: texts.text('canVote.titleNow') };
  return { tone: now.length === 0 ? 'plain' : 'good', ...title, text, buttons };
}

/** The member's chance to vote for a listing, in a sentence. @param user another than who runs the command */
export function chanceText(user: Markup | null, listing: VotableListing, texts: Texts): Markup {
  const { chance } = listing;
  const name = boldNameOnSite(listing, texts);
  if (chance.when === 'later')
    return laterText(user, name, chance.at === null ? null : timestamp(chance.at, 'R'), texts);
  return chanceOf(chance.when === 'now' ? 'Now' : 'Perhaps', user, name, texts);
}

function chanceOf(when: 'Now' | 'Perhaps', user: Markup | null, name: Markup, { text }: Texts): Markup {
  return user === null ? text(`canVote.you${when}`, { name }) : text(`canVote.member${when}`, { user, name });
}

/** @param user another than who runs the command @param time when the member may vote; null if the service does not say it */
function laterText(user: Markup | null, name: Markup, time: Markup | null, { text }: Texts): Markup {
  if (time === null)
    return user === null ? text('canVote.youRecently', { name }) : text('canVote.memberRecently', { user, name });
  return user === null ? text('canVote.youLater', { name, time }) : text('canVote.memberLater', { user, name, time });
}
