import type { CachedValue, Lookup } from '../src/lookup/lookup.ts';
import type { VoteStatus } from '../src/lookup/schemas.ts';
import { settleWithin } from '../src/platform/with-timeout.ts';
import { lines, type Markup, mention, timestamp } from '../src/texts/markup.ts';
import type { Command, CommandContext, Reply } from './command.ts';
import { staleness } from './freshness.ts';
import { chosenListing, listingLabel, listingOption } from './listing.ts';
import { userId } from './option.ts';

/** The profile only adds a name and a link to vote, so nobody waits longer than this for it (ms). */
const patience = 600;

/** Whether a user may vote now (document, section 2.4); the profile only lends it a name and a link. */
export const canvote = {
  name: 'canvote',
  visibility: 'private',
  hasPages: false,
  isServedBy: (listings) => listings.length > 0,
  describe: ({ listings, texts }) => ({
    description: texts.canVote.description,
    options: [
      { type: 'user', name: 'user', description: texts.canVote.userOption },
      ...(listings.length > 1 ? [listingOption(listings, texts)] : []),
    ],
  }),
  async execute(asked, services) {
    const { lookup } = chosenListing(asked, services.listings);
    const voter = userId(asked, 'user', asked.userId);
    const comingPage = pageOf(lookup, services);
    const status = await lookup.voteStatus(voter);
    const page = await settleWithin(patience, services.clock, comingPage);
    return answer({
      who: voter === asked.userId ? null : mention(voter),
      listing: page?.name ?? services.texts.listing.nameless[lookup.kind],
      url: page?.url ?? null,
      status,
      services,
    });
  },
} as const satisfies Command;

interface Page {
  readonly name: Markup;
  readonly url: string | null;
}

/** Undefined where it cannot be had: the answer must not fail by it. */
function pageOf(lookup: Lookup, { texts }: CommandContext): Promise<Page | undefined> {
  return lookup.profile().then(
    ({ value }) => ({ name: listingLabel(value, texts), url: value.url }),
    () => undefined,
  );
}

function answer(found: {
  who: Markup | null;
  listing: Markup;
  url: string | null;
  status: CachedValue<VoteStatus>;
  services: CommandContext;
}): Reply {
  const { who, listing, url, status, services } = found;
  const { clock, texts } = services;
  const { lastVoteAt, nextVoteAt } = status.value;
  const lastVote = lastVoteAt === null ? null : texts.canVote.lastVote(timestamp(lastVoteAt, 'R'));
  // A cooldown whose end has passed since the service was last heard is over, whatever was said then.
  const isOver = status.stale && nextVoteAt !== null && nextVoteAt <= clock.now();
  if (status.value.canVote || isOver) {
    return {
      tone: 'good',
      title: texts.canVote.titleNow,
      text: lines(texts.canVote.now(who, listing), lastVote, staleness(status, texts)),
      buttons: url === null ? [] : [{ kind: 'link', label: texts.canVote.voteButton, url }],
    };
  }
  const isAhead = nextVoteAt !== null && nextVoteAt > clock.now();
  const when = isAhead ? timestamp(nextVoteAt, 'R') : null;
  return {
    tone: 'wait',
    title: texts.canVote.titleLater,
    text: lines(texts.canVote.later(who, listing, when), lastVote, staleness(status, texts)),
  };
}
