import type { AccountId, LastVotes } from '../../core/ledger/account.ts';
import type { StreakInDays } from '../../core/rewards/streak.ts';

/** The tokens of a member, encrypted. Discord: "OAuth2", "Access Token Response". */
export interface SealedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token expires (ms since the epoch). */
  readonly expiresAt: number;
}

export interface LinkedMember extends SealedTokens {
  readonly userId: string;
  /** Discord's code of the member's language. */
  readonly locale: string;
}

/** What an account contributes to the values of its member. */
export interface LinkedAccount {
  readonly accountId: AccountId;
  readonly votes: number;
  readonly lastVotes: LastVotes;
  /** The streak after the latest vote. */
  readonly streak: StreakInDays;
}

/** What the values of a member are computed from: the accounts in all communities. */
export interface StoredValues {
  readonly userId: string;
  readonly accounts: readonly LinkedAccount[];
  /** Whether a premium order of the member is active. */
  readonly hasPremium: boolean;
  /** JSON of the values that Discord has; null before the first update. */
  readonly pushed: string | null;
}

/** `other_key`: the tokens are not encrypted with the current key of the database, and nothing was stored. */
export type SaveTokensResult =
  | { readonly status: 'saved' | 'not_linked' }
  | { readonly status: 'other_key'; readonly keyId: string };
