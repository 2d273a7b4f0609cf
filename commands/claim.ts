import { escapeName, escapeText, lines, type Markup, markup, timestamp } from '@tallyhook/platform/texts/markup';
import type { ListedLookup } from '../src/discord/commands/command.ts';
import { type ListingPage, listingPage, unknownPage, voteButtons } from '../src/discord/commands/listing-page.ts';
import type { Reply } from '../src/discord/commands/reply.ts';
import type { ClaimOutcome } from '../src/features/claims/parts.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';
import { completeListing, listingOption, selectedListing } from './listing.ts';

/** A longer reason of the service is truncated (characters). */
const maxReasonLength = 300;
const maxSiteLength = 60;

/** "I voted and got nothing": records a vote that the service knows and the ledger does not, or says why not. */
export const claim = {
  name: 'claim',
  visibility: 'private',
  availability: 'everywhere',
  isServedBy: (listings) => listings.some(({ isSilent }) => !isSilent),
  describe({ listings, isShared, texts }) {
    const offered = claimable(listings);
    const options = isShared || offered.length > 1 ? [listingOption({ listings: offered, isShared, texts })] : [];
    return { description: texts.text('claim.description'), options };
  },
  autocomplete: (input, context) => completeListing(input, { ...context, listings: claimable(context.listings) }),
  async execute(input, context) {
    // Not offered, but typed.
    const named = context.listings.find(({ name }) => name === input.options['listing']);
    const listing = named ?? selectedListing(input, { ...context, listings: claimable(context.listings) });
    const outcome = await context.claims.claim(listing.name, input.userId);
    const profile = await listing.lookup.profile().catch(() => null);
    const { texts } = context;
    const page = profile === null ? unknownPage(listing, texts) : listingPage(profile.value, texts);
    return renderOutcome(outcome, page, texts);
  },
} as const satisfies Command;

/** The listings of which an API says who has voted; all if there is none, so that the reply says so. */
function claimable(listings: readonly ListedLookup[]): readonly ListedLookup[] {
  const claimed = listings.filter(({ isSilent }) => !isSilent);
  return claimed.length > 0 ? claimed : listings;
}

function renderOutcome(outcome: ClaimOutcome, page: ListingPage, texts: Texts): Reply {
  const { name: listing } = page;
  const refused = (text: Markup): Reply => ({ tone: 'wait', title: texts.text('claim.titleNothing'), text });
  switch (outcome.type) {
    case 'claimed':
      return {
        tone: 'good',
        title: texts.text('claim.titleClaimed'),
        text: lines(
          texts.text('claim.claimed', { name: listing, time: timestamp(outcome.at, 'R') }),
          texts.text('announcement.credits', { credits: texts.text('parts.credits', { count: outcome.credits }) }),
          texts.text('announcement.balance', { credits: texts.text('parts.credits', { count: outcome.balance }) }),
        ),
      };
    case 'recorded':
      return refused(
        lines(
          texts.text('claim.recorded', { name: listing, time: timestamp(outcome.at, 'f') }),
          renderPayment(outcome, texts),
        ),
      );
    case 'withinCooldown':
      return refused(
        texts.text('claim.withinCooldown', {
          name: listing,
          time: timestamp(outcome.at, 'f'),
          recorded: timestamp(outcome.recordedAt, 'f'),
        }),
      );
    case 'forgotten':
      return refused(texts.text('claim.forgotten'));
    case 'noVote':
      return { ...refused(texts.text('claim.noVote', { name: listing })), buttons: voteButtons(page, texts) };
    case 'tooOld':
      return refused(
        texts.text('claim.tooOld', {
          name: listing,
          time: timestamp(outcome.at, 'f'),
          since: timestamp(outcome.since, 'f'),
        }),
      );
    case 'unknownTime':
      return refused(texts.text('claim.unknownTime', { name: listing }));
    case 'siteSilent':
      return {
        tone: 'wait',
        text: texts.text('claim.siteSilent', { site: escapeName(outcome.site, maxSiteLength), name: listing }),
      };
  }
}

function renderPayment(
  { how, credits, reason }: ClaimOutcome & { readonly type: 'recorded' },
  { text }: Texts,
): Markup {
  const refusal = escapeText(reason ?? '', maxReasonLength);
  const paid = text('claim.paid', { credits: text('parts.credits', { count: credits }) });
  switch (how) {
    case 'paid':
      return paid;
    case 'claimed':
      return markup`${text('claim.claimedBefore')} ${paid}`;
    case 'denied':
      return markup`${refusal === '' ? text('claim.denied') : text('claim.deniedBecause', { reason: refusal })} ${paid}`;
  }
}
