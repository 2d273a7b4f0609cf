import { type AccountScope, homeAccounts } from '../../core/ledger/account-id.ts';
import type { LedgerReads } from '../../core/ledger/ledger.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { createAnnouncer } from './announcer.ts';

export function create({
  store,
  rest,
  directory,
  announcements,
  channelTexts,
  cardOf,
  voteButtons,
  portraits,
  clock,
  log,
}: PartsContext & {
  readonly store: { readonly ledgerIn: (accounts: AccountScope) => LedgerReads };
}) {
  return {
    effects: {
      announcement: createAnnouncer({
        rest,
        textsOf: channelTexts,
        listingOf: cardOf,
        styleOf: announcements.styleOf,
        voteButtons,
        portraits,
        clock,
        log,
        async votesOf(userId, listing) {
          const accounts = directory.find(listing)?.community.accounts ?? homeAccounts;
          return (await store.ledgerIn(accounts).account(userId)).votes;
        },
      }),
    },
  } satisfies FeatureParts;
}
