import type { AccountScope } from '../../core/ledger/account-id.ts';
import type { LedgerReads } from '../../core/ledger/ledger.ts';
import type { ClaimRecorder } from '../../core/store/commits/jobs.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { type Claims, createClaims } from './claims.ts';

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    readonly claims: Claims;
  }
}

export function createServices({
  store,
  claimRecorder,
  compareTargets,
  directory,
  lookups,
  clock,
  log,
}: ServicesContext & {
  readonly store: { readonly ledgerIn: (accounts: AccountScope) => LedgerReads };
  readonly claimRecorder: ClaimRecorder;
  /** Finds out which other listings have the target of this one. Never rejects. */
  readonly compareTargets: (listing: string) => Promise<void>;
}) {
  const claims = createClaims({
    findListing: directory.find,
    findLookup: lookups.find,
    findSite: lookups.findSite,
    compareTargets,
    ledgerIn: store.ledgerIn,
    recorder: claimRecorder,
    clock,
    log,
  });
  return { commands: { claims } } satisfies FeatureServices;
}
