import { type LastVotes, lastVoteIn } from '../src/core/ledger/account.ts';
import type { ListedLookup } from '../src/discord/commands/command.ts';
import type { ReplyButton } from '../src/discord/commands/reply.ts';
import { hour } from '../src/platform/durations.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import type { CommandContext } from './context.ts';
import { fetchListingPage, type ListingPage, listingPage } from './listing-page.ts';

/** With a button for the listing itself, a row of buttons. */
const maxButtons = 4;
/** Of many listings, only the first that the ledger does not rule out are looked up in the cache. */
const maxCandidates = 8;
/** How long a complete reply waits for these buttons (ms): only for pages that were never requested before. */
const waitMs = 100;
const defaultCooldownMs = 12 * hour;

/** Returns the buttons when the rest of the reply is complete: those that are known then. Never rejects. */
export type OtherListingButtons = () => Promise<readonly ReplyButton[]>;

/**
 * Starts to look up which other listings a member can vote for now, and their pages. The ledger and the cache decide,
 * without a request to the service, so a vote that neither of them knows is overlooked. Only a page that the cache does
 * not have is requested.
 */
export function otherListingButtons(
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
