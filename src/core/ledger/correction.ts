import type { Audience } from '../outbox/audience.ts';
import { accountIdOf, type CommunityId } from './account.ts';
import type { Entry } from './entry.ts';

/** Maximum amount of one correction, in either direction (credits). A higher amount is treated as a typing error. */
export const maxCorrection = 1_000_000;
/** Maximum length of the reason (characters). */
export const maxReasonLength = 200;

/** In place of the Discord id of an author who has signed in with the owner token. */
export const operator = 'operator';

/** A correction of an account by a manager, the operator or a program. Entries never change; a correction adds one. */
export interface Correction {
  readonly userId: string;
  /** In which community. */
  readonly communityId: CommunityId;
  /** Whole credits, negative to subtract; not 0. */
  readonly credits: number;
  /** The reason that its author entered. */
  readonly reason: string;
  /** Time of the correction (ms since the epoch). */
  readonly at: number;
  /** Who has made it: the Discord id of a manager, or {@link operator}. Missing for a program. */
  readonly author?: string;
  /** True if it may take more than the balance; by default it may not. */
  readonly mayOverdraw?: boolean;
  /** Who hears of it; nobody by default. */
  readonly audience?: Audience;
}

/** The result of a correction. Nothing was written unless it is `corrected`. */
export type CorrectionResult =
  /** `balance` in credits. `repeated`: the key was used before for the same correction, and nothing was written now. */
  | { readonly outcome: 'corrected'; readonly balance: number; readonly repeated: boolean }
  /** Refused, because it would take more than the balance (credits). */
  | { readonly outcome: 'overdrawn'; readonly balance: number }
  /** The key was used before, and what it took was returned since. */
  | { readonly outcome: 'refunded' }
  /** The key was used before, for another correction. */
  | { readonly outcome: 'key_reused' };

/**
 * The result of a transfer, of two corrections that are written together. Nothing was written unless it is
 * `transferred`.
 */
export type TransferResult =
  | Exclude<CorrectionResult, { readonly outcome: 'corrected' }>
  /** The balances after it (credits). `repeated` as of a correction. */
  | {
      readonly outcome: 'transferred';
      readonly fromBalance: number;
      readonly toBalance: number;
      readonly repeated: boolean;
    };

/** The ledger entry of a correction. It has neither a listing nor a delivery. */
export function correctionEntry({ userId, communityId, credits, reason, at }: Correction): Entry {
  return {
    accountId: accountIdOf(communityId, userId),
    listing: null,
    credits,
    cause: 'correction',
    reason,
    at,
    deliveryId: null,
    untimed: false,
    achievement: null,
  };
}

/** Checks whether a correction would make the balance negative, which members would not understand. */
export function overdraws(balance: number, credits: number): boolean {
  return credits < 0 && balance + credits < 0;
}
