import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import type { CommunityId } from '../ledger/account.ts';
import type { EffectFormats, NewEffect } from '../outbox/effect-kind.ts';
import type { PeriodEnd, ReplayContext } from '../rewards/replay-votes.ts';
import type { GrantedRole } from '../rewards/reward.ts';
import type { Hooks } from '../tally/tally.ts';
import type { MemberTables } from './member-data/member-table.ts';
import type { SqlAccess } from './query-builder.ts';

/**
 * The access that the statements of modules need. `Own` are the tables that a feature adds to those of the core. Every
 * database has the tables of all features, so TypeScript may pass it on without them, and to statements that name
 * others: a type says which ones the statements use.
 */
export interface Sql<Own = unknown> extends SqlAccess<Own> {
  /** The formats of all effects. */
  readonly effects: EffectFormats;
  readonly memberTables: MemberTables;
  /** The hooks of the features, in their order. */
  readonly hooks: readonly SqlHooks[];
  readonly reusesShortenedRows: SqlDialect['reusesShortenedRows'];
}

/** The part of a feature in transactions that are not those of events. Times are ms since the epoch. */
export interface SqlHooks {
  /**
   * When a member is forgotten, before the accounts are locked. Returns effects that are enqueued in the end.
   */
  readonly beforeForgetting?: (sql: Sql, userId: string, now: number) => Promise<readonly NewEffect[]>;
  /** When the time of a vote is corrected that was received while a clock was ahead. */
  readonly onTimeCorrected?: (sql: Sql, vote: CorrectedVote) => Promise<void>;
  /** The goal of the period of a past vote, to pay the vote again by other rules. At most one feature has it. */
  readonly goalAt?: ReplayContext['goalAt'];
  /** To pay calendar periods again by other rules. */
  readonly periodEnd?: PeriodEnd;
  /** The queue of its effects that concern this member alone, apart from direct messages. */
  readonly queueOf?: (userId: string) => string;
  /**
   * Deletes what is stored of a community that has ended, apart from its accounts and deliveries: at most
   * {@link rowsPerWrite} rows. Returns whether there may be more.
   */
  readonly deleteOfGuild?: (sql: Sql, guild: EndedGuild) => Promise<boolean>;
  /**
   * Before the result of an attempt at a role is stored, and the accounts are locked. Returns what the result decides;
   * null for nothing.
   */
  readonly beforeRoleSettled?: (sql: Sql, role: GrantedRole) => Promise<SettleRole | null>;
}

/** A delivery that has its time from a clock that was ahead. Times are ms since the epoch. */
export interface CorrectedVote {
  readonly listing: string;
  readonly userId: string;
  /** By that clock, and what it is corrected to. */
  readonly receivedAt: number;
  readonly correctedTo: number;
  /** True if it is the time of a counted vote, because the vote has none of its own. */
  readonly isTimeOfVote: boolean;
}

/** Rows that one transaction of a long deletion changes: a few ms. */
export const rowsPerWrite = 100;

/** A community whose data is deleted. */
export interface EndedGuild {
  readonly guildId: string;
  readonly communityId: CommunityId;
  /** The names of the listings that were linked in Discord. */
  readonly listings: readonly string[];
}

/** Called once it is known whether Discord gave the role. Not called while that is open. */
export type SettleRole = (isGiven: boolean, now: number) => Promise<void>;

/** Every function whose first parameter is {@link Sql}: `never` fits all types of further ones. */
type Operation = (sql: Sql, ...args: never[]) => Promise<unknown>;
type Operations = { readonly [name: string]: Operation };

/**
 * The statements of a feature. A read rejects with the driver's error. A write is a job of the writer: it runs in a
 * transaction that it may share with others and that may be repeated after a rollback, on SQLite in another thread, so
 * its arguments and its result are plain data. It rejects with {@link StoreUnavailableError} or TallyhookError
 * `queue_full`.
 */
export interface SqlModule {
  readonly reads: Operations;
  readonly writes: Operations;
}

/** The statements of all features, by the names under which the store has them. */
export type SqlModules = { readonly [name: string]: SqlModule };

/** The contributions of features to transactions. */
export interface StoredFeatures {
  readonly modules: SqlModules;
  readonly effects: EffectFormats;
  readonly memberTables: MemberTables;
  /** In the order in which they are called. */
  readonly hooks: readonly (Hooks & SqlHooks)[];
}

/** How operations of a port are declared in a module. */
export type SqlOperations<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Result
    ? (sql: Sql, ...args: Args) => Result
    : never;
};

/** A module whose statements are the operations of a port; `Reads` names those that read. */
export type SqlModuleOf<Port, Reads extends keyof Port = never> = {
  readonly reads: SqlOperations<Pick<Port, Reads>>;
  readonly writes: SqlOperations<Omit<Port, Reads>>;
};

type Bound<F> = F extends (sql: Sql, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;
type BoundAll<Functions> = { readonly [Name in keyof Functions]: Bound<Functions[Name]> };

/** The operations of a module as all other code calls them. */
export type SqlClient<Module extends SqlModule> = BoundAll<Module['reads']> & BoundAll<Module['writes']>;
export type SqlClients<Modules extends SqlModules> = { readonly [Name in keyof Modules]: SqlClient<Modules[Name]> };

/** A call of a write of a module as plain data. {@link createSqlClients} makes it, whose types relate name and arguments. */
export interface ModuleWrite {
  readonly module: string;
  readonly name: string;
  readonly args: readonly never[];
}

/**
 * @param sql with the connection that reads
 * @param write runs a write in a transaction of the writer
 */
export function createSqlClients<Modules extends SqlModules>(
  modules: Modules,
  sql: Sql,
  write: (job: ModuleWrite) => Promise<unknown>,
): SqlClients<Modules> {
  const clients = Object.entries(modules).map(([module, { reads, writes }]) => {
    const bound = Object.entries(reads).map(([name, read]) => [name, (...args: never[]) => read(sql, ...args)]);
    const jobs = Object.keys(writes).map((name) => [name, (...args: never[]) => write({ module, name, args })]);
    return [module, Object.fromEntries([...bound, ...jobs])];
  });
  return Object.fromEntries(clients);
}

/** For use inside a transaction of the connection. */
export async function runWrite(modules: SqlModules, sql: Sql, { module, name, args }: ModuleWrite): Promise<unknown> {
  const operation = modules[module]?.writes[name];
  if (operation === undefined) throw new Error(`There is no write ${module}.${name}.`);
  return operation(sql, ...args);
}
