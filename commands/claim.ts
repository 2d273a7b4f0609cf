import type { Reply } from '../src/discord/commands/reply.ts';
import type { ClaimOutcome } from '../src/features/claims/claims.ts';
import { escapeText, lines, type Markup, markup, timestamp } from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';
import { completeListing, listingName, listingOption, selectedListing } from './listing.ts';

/** A longer reason of the service is truncated (characters). */
const maxReasonLength = 300;

/** "I voted and got nothing": records a vote that the service knows and the ledger does not, or says why not. */
export const claim = {
  name: 'claim',
  visibility: 'private',
  hasPages: false,
  availability: 'everywhere',
  isServedBy: (listings) => listings.length > 0,
  describe: ({ listings, isShared, texts }) => ({
    description: texts.claim.description,
    options: isShared || listings.length > 1 ? [listingOption({ listings, isShared, texts })] : [],
  }),
  autocomplete: completeListing,
  async execute(input, context) {
    const { name, lookup } = selectedListing(input, context);
    const outcome = await context.claims.claim(name, input.userId);
    const profile = await lookup.profile().catch(() => null);
    const displayName =
      profile === null ? context.texts.listing.unnamed[lookup.kind] : listingName(profile.value, context.texts);
    return renderOutcome(outcome, displayName, profile?.value.url ?? null, context);
  },
} as const satisfies Command;

function renderOutcome(outcome: ClaimOutcome, listing: Markup, url: string | null, { texts }: CommandContext): Reply {
  const refused = (text: Markup): Reply => ({ tone: 'wait', title: texts.claim.titleNothing, text });
  switch (outcome.type) {
    case 'claimed':
      return {
        tone: 'good',
        title: texts.claim.titleClaimed,
        text: lines(
          texts.claim.claimed(listing, timestamp(outcome.at, 'R')),
          texts.announcement.credits(outcome.credits),
          texts.announcement.balance(outcome.balance),
        ),
      };
    case 'recorded':
      return refused(lines(texts.claim.recorded(listing, timestamp(outcome.at, 'f')), renderPayment(outcome, texts)));
    case 'withinCooldown':
      return refused(
        texts.claim.withinCooldown(listing, timestamp(outcome.at, 'f'), timestamp(outcome.recordedAt, 'f')),
      );
    case 'forgotten':
      return refused(texts.claim.forgotten);
    case 'noVote':
      return {
        ...refused(texts.claim.noVote(listing)),
        buttons: url === null ? [] : [{ kind: 'link', label: texts.canVote.voteButton, url }],
      };
    case 'tooOld':
      return refused(texts.claim.tooOld(listing, timestamp(outcome.at, 'f'), timestamp(outcome.since, 'f')));
    case 'unknownTime':
      return refused(texts.claim.unknownTime(listing));
  }
}

function renderPayment(
  { how, credits, reason }: ClaimOutcome & { readonly type: 'recorded' },
  { claim: texts }: CommandContext['texts'],
): Markup {
  const paid = texts.paid(credits);
  switch (how) {
    case 'paid':
      return paid;
    case 'claimed':
      return markup`${texts.claimedBefore} ${paid}`;
    case 'denied':
      return markup`${texts.denied(escapeText(reason ?? '', maxReasonLength))} ${paid}`;
  }
}
