import type { Entry } from './entry.ts';

/** The most that one correction may give or take (credits), as for an event: what is beyond is a slip of the finger. */
export const maxCorrection = 1_000_000;
/** How long the owner's words may be (characters). */
export const maxReasonLength = 200;

/** The owner sets an account right. No entry is changed; this makes another one. */
export interface Correction {
  readonly userId: string;
  /** Whole credits, negative to take some back; not 0. */
  readonly credits: number;
  /** The owner's words. */
  readonly reason: string;
  /** Now (ms since the epoch). */
  readonly at: number;
}

/** A correction is of no listing, and no delivery has caused it. */
export function correctionEntry({ userId, credits, reason, at }: Correction): Entry {
  return { userId, listing: null, credits, cause: 'correction', reason, at, deliveryId: null };
}

/** Whether it would take more than there is: no account goes below zero, since no member would understand a debt. */
export function overdraws(balance: number, credits: number): boolean {
  return credits < 0 && balance + credits < 0;
}
