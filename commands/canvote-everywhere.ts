import type { LastVotes } from '../src/core/ledger/account.ts';
import type { ListedLookup } from '../src/discord/commands/command.ts';
import { voteOffers } from '../src/discord/commands/offers.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import { nextVoteFor, type StatedNextVote } from '../src/features/next-votes/next-vote.ts';
import { hour, second } from '../src/platform/durations.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import { lines, type Markup, mention, timestamp } from '../src/texts/markup.ts';
import type { CommandContext } from './context.ts';
import { fetchListingPage, type ListedPage, nameWithSite, voteLinkTo } from './listing.ts';

/** A site that takes longer to say whether the member has voted is not waited for (ms). */
const timeoutMs = 3 * second;
/** Of the buttons that a message can have, one is left for another purpose. */
const maxListings = 24;
const defaultCooldownMs = 12 * hour;

/** Whether a member may vote for a listing. `perhaps`: neither its site nor the ledger says that a cooldown runs or not. */
type Chance =
  | { readonly when: 'now' | 'perhaps' }
  /** `at`: ms since the epoch; null if it is not known. */
  | { readonly when: 'later'; readonly at: number | null };

interface VotableListing extends ListedPage {
  readonly chance: Chance;
}

/**
 * For which of the listings, on whatever sites, a member may vote now, perhaps, and when again, with a button for each.
 * The sites are asked about the member who runs the command; for others, only the ledger and the cache are used.
 */
export async function canVoteEverywhere(
  listings: readonly ListedLookup[],
  { voter, isOwn }: { readonly voter: string; readonly isOwn: boolean },
  context: CommandContext,
): Promise<Reply> {
  const findChance = isOwn ? askSites(voter, context) : recall(voter, context);
  const votable = await Promise.all(
    listings.slice(0, maxListings).map(async (listed): Promise<VotableListing> => {
      const [page, chance] = await Promise.all([fetchListingPage(listed, context), findChance(listed)]);
      return { listed, page, chance };
    }),
  );
  return render(votable, isOwn ? null : mention(voter), context);
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
  const votes = knownVotesOf(voter, context);
  return async ({ name, lookup }) => {
    const at = cooldownEndOf(name, await votes, context);
    if (at !== null) return { when: 'later', at };
    const known = await lookup.cached.voteStatus(voter);
    return known?.canVote === false ? { when: 'later', at: known.nextVoteAt } : { when: 'perhaps' };
  };
}

type KnownVotes = readonly [last: LastVotes, stated: readonly StatedNextVote[]];

/** What the ledger and the deliveries of other sites say of a member's votes, in all communities that the command covers. */
export function knownVotesOf(
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
export function cooldownEndOf(
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
  const later = all
    .flatMap((each) => (each.chance.when === 'later' ? [{ ...each, at: each.chance.at }] : []))
    .toSorted((a, b) => (a.at ?? Number.MAX_VALUE) - (b.at ?? Number.MAX_VALUE));
  const text = lines(
    now.length === 0 ? null : texts.canVote.now(user, texts.list(now.map(nameWithSite))),
    perhaps.length === 0 ? null : texts.canVote.perhaps(user, texts.list(perhaps.map(nameWithSite))),
    ...later.map((each) =>
      texts.canVote.later(user, nameWithSite(each), each.at === null ? null : timestamp(each.at, 'R')),
    ),
  );
  const links = [...now, ...perhaps, ...later].flatMap((each) => voteLinkTo(each, all, texts));
  const buttons = now.length === 0 && user === null ? [...links, ...voteOffers(commands, texts)] : links;
  if (now.length + perhaps.length === 0) {
    return { tone: 'wait', title: texts.canVote.titleLater, text, buttons };
  }
  const title = now.length === 0 ? {} : { title: texts.canVote.titleNow };
  return { tone: now.length === 0 ? 'plain' : 'good', ...title, text, buttons };
}
