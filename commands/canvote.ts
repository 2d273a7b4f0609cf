import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { type LastVotes, lastVoteIn } from '../src/core/ledger/account.ts';
import type { ListedLookup } from '../src/discord/commands/command.ts';
import { userOption } from '../src/discord/commands/input.ts';
import type { Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import type { CachedValue } from '../src/lookup/lookup.ts';
import type { VoteStatus } from '../src/lookup/schemas.ts';
import { hour } from '../src/platform/durations.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import { lines, type Markup, mention, timestamp } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';
import {
  completeListing,
  fetchListingPage,
  type ListingPage,
  listingOption,
  listingPage,
  selectedListing,
  staleNote,
} from './listing.ts';
import { remindButtons } from './remind-button.ts';

/** Whether a user may vote now (document, section 2.4). */
export const canvote = {
  name: 'canvote',
  visibility: 'private',
  hasPages: false,
  availability: 'everywhere',
  isServedBy: (listings) => listings.length > 0,
  describe: ({ listings, isShared, texts }) => ({
    description: texts.canVote.description,
    options: [
      { type: ApplicationCommandOptionType.User, name: 'user', description: texts.canVote.userOption },
      ...(isShared || listings.length > 1 ? [listingOption({ listings, isShared, texts })] : []),
    ],
  }),
  autocomplete: completeListing,
  async execute(input, context) {
    const selected = selectedListing(input, context);
    const { lookup } = selected;
    const voter = userOption(input, 'user', input.userId);
    const isOwn = voter === input.userId;
    const otherButtons: OtherListingButtons = isOwn ? otherListingButtons(selected, voter, context) : async () => [];
    const pageLookup = fetchListingPage(lookup, context);
    const status = await lookup.voteStatus(voter);
    const page = await pageLookup;
    return renderStatus(status, context, {
      user: isOwn ? null : mention(voter),
      listing: page?.name ?? context.texts.listing.unnamed[lookup.kind],
      url: page?.url ?? null,
      otherButtons: await otherButtons(),
    });
  },
} as const satisfies Command;

function renderStatus(
  status: CachedValue<VoteStatus>,
  context: CommandContext,
  {
    user,
    listing,
    url,
    otherButtons,
  }: { user: Markup | null; listing: Markup; url: string | null; otherButtons: readonly ReplyButton[] },
): Reply {
  const { clock, texts } = context;
  const { lastVoteAt, nextVoteAt } = status.value;
  const lastVote = lastVoteAt === null ? null : texts.canVote.lastVote(timestamp(lastVoteAt, 'R'));
  // In a stale status, a cooldown may have ended since the service sent it.
  const hasEnded = status.stale && nextVoteAt !== null && nextVoteAt <= clock.now();
  if (status.value.canVote || hasEnded) {
    return {
      tone: 'good',
      title: texts.canVote.titleNow,
      text: lines(texts.canVote.now(user, listing), lastVote, staleNote(status, texts)),
      buttons: [
        ...(url === null ? [] : [{ kind: 'link', label: texts.canVote.voteButton, url } as const]),
        ...otherButtons,
      ],
    };
  }
  const isInFuture = nextVoteAt !== null && nextVoteAt > clock.now();
  const nextVote = isInFuture ? timestamp(nextVoteAt, 'R') : null;
  return {
    tone: 'wait',
    title: texts.canVote.titleLater,
    text: lines(texts.canVote.later(user, listing, nextVote), lastVote, staleNote(status, texts)),
    buttons: user === null ? [...remindButtons(context), ...otherButtons] : [],
  };
}

/** With a button for the listing itself, a row of buttons. */
const maxButtons = 4;
/** Of many listings, only the first that the ledger does not rule out are looked up in the cache. */
const maxCandidates = 8;
/** How long a complete reply waits for these buttons (ms): only for pages that were never requested before. */
const waitMs = 100;
const defaultCooldownMs = 12 * hour;

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
  context: Pick<CommandContext, 'listings' | 'rules' | 'standings' | 'communities' | 'texts' | 'clock'>,
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
    const covered = context.communities ?? [];
    const accounts = covered.length === 0 ? [context] : covered;
    // Each of them has only votes for its own listings, and names of listings are unique.
    const lastVotes = Object.assign(
      {},
      ...(await Promise.all(accounts.map((each) => each.standings.lastVotes(userId)))),
    );
    const candidates: ListedLookup[] = [];
    for (const listing of others) {
      if (candidates.length === maxCandidates) break;
      if (!isInCooldown(listing, lastVotes)) candidates.push(listing);
    }
    await Promise.all(candidates.map(find));
  }

  function isInCooldown({ name }: ListedLookup, lastVotes: LastVotes): boolean {
    const { cooldownMs = defaultCooldownMs, names = [name] } = context.rules.find((rules) => rules.name === name) ?? {};
    const votedAt = lastVoteIn(lastVotes, names);
    if (votedAt === null) return false;
    return clock.now() < votedAt + cooldownMs;
  }

  async function find(listing: ListedLookup): Promise<void> {
    const { name, lookup } = listing;
    const [status, page] = await Promise.all([lookup.cached.voteStatus(userId), pageOf(listing)]);
    if (status?.canVote === false || !page?.url) return;
    found.set(name, { kind: 'link', label: texts.canVote.voteFor(page.plainName || name), url: page.url });
  }

  async function pageOf({ lookup }: ListedLookup): Promise<ListingPage | undefined> {
    const profile = await lookup.cached.profile();
    return profile === null ? fetchListingPage(lookup, context) : listingPage(profile, texts);
  }

  return async () => {
    await settleWithin(waitMs, clock, search);
    return others.flatMap(({ name }) => found.get(name) ?? []).slice(0, maxButtons);
  };
}
