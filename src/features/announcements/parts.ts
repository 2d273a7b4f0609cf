import type { CommunityId, LedgerReads } from '../../core/ledger/account.ts';
import { announcementKind } from '../../core/outbox/effect-kind.ts';
import { handleTogether } from '../../core/outbox/perform.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { createAnnouncer } from './announcer.ts';

export function create(
  context: PartsContext & { readonly store: { readonly ledgerIn: (communityId: CommunityId) => LedgerReads } },
) {
  const { store, directory, announcements, channelTexts, cardOf } = context;
  return {
    effects: [
      handleTogether(
        announcementKind,
        createAnnouncer({
          ...context,
          textsOf: channelTexts,
          languages: context.languages,
          listingOf: cardOf,
          styleOf: announcements.styleOf,
          async votesOf(userId, listing) {
            const accounts = directory.find(listing)?.community.id;
            // Without its listing, it is not known in which community the member has voted.
            return accounts === undefined ? 0 : (await store.ledgerIn(accounts).account(userId)).votes;
          },
        }),
      ),
    ],
  } satisfies FeatureParts;
}
