import type { AccountScope } from '../../core/ledger/account-id.ts';
import type { LedgerReads } from '../../core/ledger/ledger.ts';
import type { ClaimRecorder } from '../../core/store/commits/jobs.ts';
import type { LeaseStore } from '../../platform/leases/lease-store.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import { createLostVotes } from './lost-votes.ts';

export function create({
  store,
  claimRecorder,
  ...context
}: PartsContext & {
  readonly store: { readonly ledgerIn: (accounts: AccountScope) => LedgerReads };
  readonly claimRecorder: ClaimRecorder;
  /** Null if no other process uses the database. */
  readonly leases: LeaseStore | null;
}) {
  const lostVotes = createLostVotes({ ...context, ledgerIn: store.ledgerIn, recorder: claimRecorder });
  return { loops: [lostVotes] } satisfies FeatureParts;
}
