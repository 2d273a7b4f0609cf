import { minute } from '@tallyhook/platform/durations';

/*
 * Rows of these tables are only added, apart from effects, so they are counted once, by a task in the background, and
 * the newest ones each time. A vote pays nothing for it.
 */

export const countedTables = ['deliveries', 'entries', 'effects'] as const;
export type CountedTable = (typeof countedTables)[number];

/**
 * `<table> below`: rows with lower ids are counted. `effects` also counts the effects that were pruned, but not those
 * that were deleted with the data of a member. `members`: accounts with an entry.
 */
export type CounterName = `${CountedTable} below` | 'deliveries' | 'effects' | 'credits' | 'votes' | 'members';

export type Counters = Partial<Record<CounterName, number>>;

/** In every time zone, days begin at a multiple of this (ms). */
export const slotMs = 15 * minute;

/** Rows of a table that were counted: the id after the last one, and what they add to the counters. */
export interface CountedRows {
  readonly table: CountedTable;
  readonly from: number;
  readonly below: number;
  readonly sums: Counters;
  readonly votes: readonly VoteCount[];
}

/** Counted votes of a listing (empty for none) in a quarter of an hour. */
export interface VoteCount {
  readonly listing: string;
  readonly slot: number;
  readonly votes: number;
}
