/** The causes of entries with those of all features, for the types of the package. */
import './party/rules.ts';
import './shop/rules.ts';

export type { Cause, EntryCauses, KnownCause } from '../core/ledger/entry.ts';
