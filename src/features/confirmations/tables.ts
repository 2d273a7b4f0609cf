import { addedValue } from '../../core/added-value.ts';
import { type EffectKind, fieldsFormat } from '../../core/outbox/effect-kind.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { EventKey } from '../../core/tally/idempotency-key.ts';

/** Whether the site is asked before a vote is paid: of the rules of a listing. */
export const confirmRule = addedValue('confirm', false);

export interface ConfirmationTables {
  /** The votes of a member for a listing that wait for the confirmation of its site. `vote` is {@link voteOf}. */
  confirmations: { vote: string; user_id: string | null; listing: string | null; waiting: string | null };
}

/** The database with the tables of this feature. */
export type ConfirmationSql = Sql<ConfirmationTables>;

export const confirmations = hotTable<ConfirmationTables>()({
  name: 'confirmations',
  key: ['vote'],
  columns: { vote: 'text', user_id: 'text', listing: 'text', waiting: 'text' },
  initial: {},
});

/** A vote that waits. Times are ms since the epoch. */
export interface WaitingVote {
  readonly deliveryId: number;
  /** Its own time; null without one. */
  readonly at: number | null;
  readonly receivedAt: number;
  /** What identifies it; none without a time and an ID. */
  readonly keys: readonly EventKey[];
}

/** Those of a member and a listing: few, because each of them is a vote that a site has accepted, or a forged one. */
export const maxWaiting = 8;

/** The key of a row. */
export const voteOf = (listing: string, userId: string): string => `${listing} ${userId}`;

/** The votes of a row, oldest first. */
export function waitingIn({ waiting }: { readonly waiting: string | null }): readonly WaitingVote[] {
  // No other program writes it.
  return waiting === null ? [] : (JSON.parse(waiting) as readonly WaitingVote[]);
}

/** The row of these votes. */
export function waitingRow(listing: string, userId: string, waiting: readonly WaitingVote[]) {
  const stored = waiting.length === 0 ? null : JSON.stringify(waiting);
  return { vote: voteOf(listing, userId), user_id: userId, listing, waiting: stored };
}

/** Asks the site of a listing whether a member has voted, and then records the vote. */
export interface Confirmation {
  readonly listing: string;
  readonly userId: string;
}

export const confirmationKind: EffectKind<'confirmation', Confirmation> = {
  kind: 'confirmation',
  ...fieldsFormat<Confirmation>({ listing: ['string'], userId: ['string'] }),
  withoutMember: (content, userId) => (content.userId === userId ? null : content),
};
