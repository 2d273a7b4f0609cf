import type { Compilable, Kysely } from 'kysely';
import type { AccountId } from '../../ledger/account.ts';
import type { Tables } from '../tables.ts';

/** A table with rows about members. `Own` are the tables that its feature adds. */
export interface MemberTable<Own = unknown> {
  /** Selects the rows about the member, with all columns that are of interest to the member. */
  select(db: Kysely<Tables & Own>, rows: MemberRows): readonly Compilable<object>[];
  /** Replaces the member's id by the pseudonym, and deletes what else identifies the member. */
  forget(db: Kysely<Tables & Own>, rows: MemberRows, pseudonym: string): readonly Compilable<unknown>[];
}

/** Why a table has no rows about members. */
interface TableWithoutMembers {
  readonly withoutMembers: string;
}

/** How the rows about members are found and forgotten, for each table of the core, or for those that a feature adds. */
export type MemberTables<Own = Tables> = {
  readonly [Table in keyof Own]: MemberTable<Own> | TableWithoutMembers;
};

/** The rows about a member that are not found by `user_id` alone. */
export interface MemberRows extends Mentions {
  readonly userId: string;
  /** In all communities. */
  readonly accounts: readonly AccountId[];
  readonly entryIds: readonly number[];
  /** The queues of effects that concern the member alone. */
  readonly queues: readonly string[];
  /** Some of the deliveries and effects, which belong to others. */
  readonly gifts: Gifts;
}

/** Rows that mention a member, but belong to somebody else or to nobody. */
export interface Mentions {
  readonly deliveryIds: readonly number[];
  readonly effectIds: readonly number[];
  /** Idempotency keys of corrections. */
  readonly correctionKeys: readonly string[];
}

/**
 * Rows of others that name the member, such as gifts and shared announcements: the texts without the member, by the ids
 * of their rows.
 */
export interface Gifts {
  /** Bodies. */
  readonly deliveries: ReadonlyMap<number, string>;
  /** Contents. */
  readonly effects: ReadonlyMap<number, string>;
}

/** The tables with ids of members. */
type OwnRows<Own> = {
  [Table in keyof Own]: Own[Table] extends { user_id: string | null } ? Table & string : never;
}[keyof Own];

function selectOwn(table: string): MemberTable['select'] {
  return (db, { userId }) => [db.selectFrom(like(table)).selectAll().where('user_id', '=', userId)];
}

/** Rows that are deleted when the member is forgotten. */
export function deletedRows<Own = Tables>(table: OwnRows<Own>): MemberTable {
  return {
    select: selectOwn(table),
    forget: (db, { userId }) => [db.deleteFrom(like(table)).where('user_id', '=', userId)],
  };
}

/** Rows that stay, with the pseudonym. */
export function renamedRows<Own = Tables>(table: OwnRows<Own>): MemberTable {
  return {
    select: selectOwn(table),
    forget: (db, { userId }, user_id) => [db.updateTable(like(table)).set({ user_id }).where('user_id', '=', userId)],
  };
}

/** Kysely has no type for a table that is a parameter; of these tables only the common column matters. */
function like(table: string): 'grants' {
  return table as 'grants';
}

/** Ids per statement: fewer than the parameters that SQLite accepts. */
const chunkSize = 500;

export function chunksOf(ids: readonly number[]): readonly number[][] {
  return Array.from({ length: Math.ceil(ids.length / chunkSize) }, (_, index) =>
    ids.slice(index * chunkSize, (index + 1) * chunkSize),
  );
}

/** A statement for each chunk of the ids. */
export function inChunks<Row>(
  ids: readonly number[],
  build: (ids: readonly number[]) => Compilable<Row>,
): Compilable<Row>[] {
  return chunksOf(ids).map(build);
}
