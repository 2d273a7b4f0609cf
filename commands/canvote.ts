import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { userOption } from '../src/discord/commands/input.ts';
import type { Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import type { CachedValue } from '../src/lookup/lookup.ts';
import type { VoteStatus } from '../src/lookup/schemas.ts';
import { lines, type Markup, mention, timestamp } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';
import { completeListing, listingOption, selectedListing, staleNote } from './listing.ts';
import { fetchListingPage } from './listing-page.ts';
import { type OtherListingButtons, otherListingButtons } from './other-listings.ts';
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
