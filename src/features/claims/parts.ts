import type { CommunityId, LedgerReads } from '../../core/ledger/account.ts';
import type { ClaimRecorder } from '../../core/tally/recorder.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { createClaims } from './claims.ts';

export function createServices(
  context: ServicesContext & {
    readonly store: { readonly ledgerIn: (communityId: CommunityId) => LedgerReads };
    readonly claimRecorder: ClaimRecorder;
    readonly compareTargets: (listing: string) => Promise<void>;
  },
) {
  const { store, claimRecorder: recorder, directory, lookups } = context;
  const finders = { findListing: directory.find, findLookup: lookups.find, findSite: lookups.findSite };
  const claims = createClaims({ ...context, ...finders, ledgerIn: store.ledgerIn, recorder });
  return { commands: { claims } } satisfies FeatureServices;
}
