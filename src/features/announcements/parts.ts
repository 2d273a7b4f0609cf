import { type AccountScope, homeAccounts } from '../../core/ledger/account.ts';
import type { LedgerReads } from '../../core/ledger/ledger.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { createAnnouncer } from './announcer.ts';

export function create(
  context: PartsContext & { readonly store: { readonly ledgerIn: (accounts: AccountScope) => LedgerReads } },
) {
  const { store, directory, announcements, channelTexts, cardOf } = context;
  return {
    effects: {
      announcement: createAnnouncer({
        ...context,
        textsOf: channelTexts,
        listingOf: cardOf,
        styleOf: announcements.styleOf,
        async votesOf(userId, listing) {
          const accounts = directory.find(listing)?.community.accounts ?? homeAccounts;
          return (await store.ledgerIn(accounts).account(userId)).votes;
        },
      }),
    },
  } satisfies FeatureParts;
}
