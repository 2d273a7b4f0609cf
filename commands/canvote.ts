import { lines, type Markup, mention, timestamp } from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { ListedLookup } from '../src/discord/commands/command.ts';
import { memberOption } from '../src/discord/commands/input.ts';
import {
  displayNameOf,
  fetchListingPage,
  type ListingPage,
  listingPage,
  voteButtons,
} from '../src/discord/commands/listing-page.ts';
import { offersAt } from '../src/discord/commands/offers.ts';
import type { Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import type { CachedValue } from '../src/lookup/lookup.ts';
import type { VoteStatus } from '../src/lookup/schemas.ts';
import { canVoteEverywhere, cooldownEndOf, knownVotesOf, laterText } from './canvote-everywhere.ts';
import type { Command, CommandContext } from './context.ts';
import { completeListing, listingOption, selectedListing, staleNote } from './listing.ts';

/** Whether a user may vote now (document, section 2.4). */
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
    const { name } = page;
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
    text: laterText(user, page.name, nextVote, texts),
    buttons: user === null ? offersAt('vote', context.commands, texts) : [],
  };
  return addTo(reply, details, user === null ? otherButtons : []);
}

function addTo(reply: Reply, details: readonly (Markup | null)[], buttons: readonly ReplyButton[]): Reply {
  const added = details.filter((detail) => detail !== null);
  if (added.length + buttons.length === 0) return reply;
  return { ...reply, text: lines(reply.text, ...added), buttons: [...(reply.buttons ?? []), ...buttons] };
}

/** With a button for the listing itself, a row of buttons. */
const maxButtons = 4;
/** Of many listings, only the first that the ledger does not rule out are looked up in the cache. */
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
