import { hotTable } from '../../core/store/recording/hot-table.ts';

declare module '../../core/store/tables.ts' {
  interface Tables {
    /**
     * The votes that wait for the confirmation of their site, at most one per listing and member: the id of its delivery, or
     * null. `vote` is {@link voteOf}.
     */
    confirmations: { vote: string; user_id: string | null; listing: string | null; delivery_id: number | null };
  }
}

export const confirmations = hotTable({
  name: 'confirmations',
  key: ['vote'],
  columns: { vote: 'text', user_id: 'text', listing: 'text', delivery_id: 'bigint' },
  initial: {},
});

/** The key of a row. */
export const voteOf = (listing: string, userId: string): string => `${listing} ${userId}`;
