import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { prepareDatabaseDirectory } from '@tallyhook/platform/database/database-directory';
import { literalLimits, sqliteDialect } from '@tallyhook/platform/database/sqlite-dialect';
import { prepareInsert } from '@tallyhook/platform/database/sqlite-insert';
import { createFileCheck, type DatabaseFiles, identifyFiles, releaseFiles } from '@tallyhook/platform/database-files';
import { memoizeOne, once } from '@tallyhook/platform/memoize';
import {
  forKysely,
  openSqlite,
  sqliteConnection,
  sqliteMigratingConnection,
  sqliteTransactions,
} from '@tallyhook/platform/sqlite';
import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import { serializeContent } from '../../outbox/effect-kind.ts';
import type { Outage } from '../../rewards/calendar.ts';
import { emptyAccount, noMarks } from '../../tally/account-state.ts';
import { serializeIdentities } from '../../tally/listing-context.ts';
import { decide } from '../../tally/recorder.ts';
import { accountColumns, accountValues, type BalanceRow, toAccountState } from '../account-columns.ts';
import { queryBuilder } from '../query-builder.ts';
import { type HotTable, replacement } from '../recording/hot-table.ts';
import {
  insertCorrection,
  saveOrder,
  selectCorrections,
  selectOrderNames,
  selectOrders,
  selectReplayable,
  selectVotesBetween,
  toCorrection,
  toOrder,
  toOutage,
  toPastVote,
  updateReplayedDelivery,
} from '../recording/queries.ts';
import { type Changes, createUnitOfWork, type RecordingReads } from '../recording/unit-of-work.ts';
import { deliveryColumns, entryColumns, noDelivery, type Tables } from '../tables.ts';
import type { Dialect, RecordBatch } from './dialect.ts';

/**
 * The page size of a new database (bytes). A member who comes back changes a page of `balances` that no other vote of
 * the commit changes, and a single vote one of each tree, so pages of 4 KB, SQLite's default, put twice as much into
 * the log. With pages of 1 KB, commits and scans take longer.
 */
const pageSize = 2_048;
/**
 * Pages in the write-ahead log after which a commit runs a checkpoint. More of them make each checkpoint longer, which
 * holds up the votes of that moment; with fewer, checkpoints take more of the writer's time.
 */
const checkpointPages = 2_000;
/** Waiting for a lock blocks the thread, so the timeout is short; the group commit retries without blocking. */
const busyTimeoutMs = 20;
/** Longer, because two processes may create the file at once, and a starting process may block. */
const openTimeoutMs = 5_000;

/**
 * SQLite in a file. WAL with synchronous=FULL: a commit is on disk when it returns.
 * One connection writes and another reads, so that a read never sees part of a transaction.
 * Throws what `node:fs` and `node:sqlite` throw.
 * @param opened the files of this database if another thread has opened it already; then nothing is created
 */
export function sqlite(path: string, opened: DatabaseFiles | null = null): Dialect {
  const reader = connectLazily(() => open(path, opened !== null));
  const writer = connectLazily(() => open(path, true));
  const files = opened ?? create(path, reader.get);
  const writing = sqliteTransactions(writer.get);
  const dataVersion = once(() => reader.get().prepare('PRAGMA data_version'));
  return {
    ...sqliteDialect,
    kysely: literalLimits,
    reading: sqliteConnection(reader.get),
    // SQLite counts the commits of other connections, and the reader commits nothing.
    dataVersion: () => Number(dataVersion().get()?.['data_version']),
    openWriting() {
      let record: RecordBatch | undefined;
      return {
        ...writing,
        record(jobs, hooks, secret) {
          record ??= sqliteRecord(writer.get(), queryBuilder({ kysely: literalLimits }));
          return record(jobs, hooks, secret);
        },
      };
    },
    migrating: sqliteMigratingConnection(writer.get, writing),
    files,
    checkFiles: createFileCheck(files),
    close: async () => {
      reader.close();
      writer.close();
      if (opened === null) releaseFiles(files);
    },
  };
}

/** Connects on first use: the main thread may never write, and the write worker never reads. */
function connectLazily(connect: () => DatabaseSync) {
  let database: DatabaseSync | undefined;
  return {
    get() {
      database ??= connect();
      return database;
    },
    close: () => database?.close(),
  };
}

function create(path: string, reader: () => DatabaseSync): DatabaseFiles {
  prepareDatabaseDirectory(path);
  // The first read creates the -wal and -shm files.
  reader().exec('PRAGMA schema_version');
  return identifyFiles(path);
}

function open(path: string, mustExist: boolean): DatabaseSync {
  const database = openSqlite(path, { busyTimeoutMs: openTimeoutMs, mustExist });
  database.exec(`PRAGMA page_size = ${pageSize}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return database;
}

/*
 * Recording on SQLite. Everything is synchronous and each row has its own prepared statement: an await between two
 * statements costs as much as a statement, and a statement for many rows costs more than one per row.
 */

/** Records deliveries inside the connection's current transaction. */
export function sqliteRecord(database: DatabaseSync, db: Kysely<Tables>): RecordBatch {
  const balanceColumns = [...accountColumns, 'roles'] as const;
  const findBalance = database.prepare(`select ${balanceColumns.join(', ')} from balances where account_id = ?`);
  // Arrays take half the time of objects, whose property names SQLite returns for each row.
  findBalance.setReturnArrays(true);
  // With all columns at first: an object that grows column by column takes four times as long.
  const noBalance = Object.fromEntries(['account_id', ...balanceColumns].map((name) => [name, null]));
  const findGrants = database.prepare('select * from grants where user_id = ?');
  const findRowOf = memoizeOne(({ name, key }: HotTable) =>
    database.prepare(`select * from ${name} where ${key.map((column) => `${column} = ?`).join(' and ')}`),
  );
  const findOutages = database.prepare('select from_at, until_at from outages order by from_at');
  const findForgottenVote = database.prepare('select at from forgotten_votes where key = ?');
  const findAnyForgottenVote = database.prepare('select 1 from forgotten_votes limit 1');
  const findEvent = database.prepare('select delivery_id from event_keys where key = ?');
  const insertEvent = database.prepare(
    'insert into event_keys (key, delivery_id) values (?, ?) on conflict do nothing',
  );
  const deleteEvent = database.prepare('delete from event_keys where key = ?');
  const findLastId = {
    deliveries: database.prepare('select max(id) as id from deliveries'),
    entries: database.prepare('select max(id) as id from entries'),
  };
  const findVotesBetween = selectVotesBetween(db);
  const statements = forKysely(database);
  const all = <Row>({ sql, parameters }: CompiledQuery<Row>) =>
    statements.prepare(sql).all(parameters) as readonly Row[];
  const write = prepareWrite(database, db, all);

  /** Ids are counted from the largest one: no other connection writes during the transaction. */
  function idsOf(table: keyof typeof findLastId): (place: number) => number {
    let last: number | undefined;
    return (place) => {
      last ??= (findLastId[table].get() as { id: number | null }).id ?? 0;
      return last + 1 + place;
    };
  }

  function createReads(): RecordingReads {
    let outages: readonly Outage[] | undefined;
    let hasForgottenVotes: boolean | undefined;
    return {
      account(id) {
        const values = findBalance.get(id) as unknown as readonly SQLOutputValue[] | undefined;
        if (values === undefined) return emptyAccount(id);
        const row: Record<string, unknown> = { ...noBalance, account_id: id };
        for (const [place, name] of balanceColumns.entries()) row[name] = values[place];
        return toAccountState(row as unknown as BalanceRow);
      },
      votesBetween: ({ lastEntry }, listing, after, before) =>
        all(findVotesBetween({ newest: lastEntry, listing, after, before })).map(toPastVote),
      grantsOf: (userId) => findGrants.all(userId) as unknown as Selectable<Tables['grants']>[],
      row(table, key) {
        const [column = ''] = table.key;
        return findRowOf(table).get(key) ?? { ...table.initial, [column]: key };
      },
      outages() {
        outages ??= (findOutages.all() as unknown as Tables['outages'][]).map(toOutage);
        return outages;
      },
      deliveryOf(key) {
        const event = findEvent.get(Buffer.from(key, 'hex')) as { delivery_id: number } | undefined;
        return event?.delivery_id ?? null;
      },
      addEvent(keys, deliveryId) {
        for (const [place, key] of keys.entries()) {
          if (insertEvent.run(Buffer.from(key, 'hex'), deliveryId).changes === 1) continue;
          for (const added of keys.slice(0, place)) deleteEvent.run(Buffer.from(added, 'hex'));
          return false;
        }
        return true;
      },
      forgottenVoteAt(key) {
        hasForgottenVotes ??= findAnyForgottenVote.get() !== undefined;
        if (!hasForgottenVotes) return null;
        return (findForgottenVote.get(Buffer.from(key(), 'hex')) as { at: number } | undefined)?.at ?? null;
      },
      orders(accounts, orderIds) {
        const names = all(selectOrderNames(db, accounts, orderIds).compile());
        return all(selectOrders(db, accounts, orderIds).compile()).map((order) => toOrder(order, names));
      },
      isQuarantined: (id) => all(selectReplayable(db, [id]).compile()).length > 0,
      correction(accounts, idempotencyKey) {
        const [row] = all(selectCorrections(db, accounts, [idempotencyKey]).compile());
        return row === undefined ? null : toCorrection(row);
      },
      deliveryIdAt: idsOf('deliveries'),
      entryIdAt: idsOf('entries'),
    };
  }

  return (jobs, hooks, secret) => {
    const { tally, changes } = createUnitOfWork(createReads(), hooks, secret);
    const results = jobs.map((job) => decide(tally, job));
    write(changes);
    return results;
  };
}

function prepareWrite(
  database: DatabaseSync,
  db: Kysely<Tables>,
  run: (query: CompiledQuery) => void,
): (changes: Changes) => void {
  const usualDelivery = {
    family: 'vote',
    kind: 'server_vote',
    outcome: 'recorded',
    reason: null,
    original_id: null,
    origin: null,
  };
  const insertDelivery = prepareInsert(database, 'deliveries', deliveryColumns, usualDelivery);
  const usualEntry = { cause: 'vote', reason: null, previous: null, number: 1, untimed: 0, achievement: null };
  const insertEntry = prepareInsert(database, 'entries', entryColumns, usualEntry);
  const balanceColumns = ['account_id', ...accountColumns];
  // Of a member's first vote.
  const usualScores = { votes: 1, week_votes: 1, month_votes: 1, streak_days: 1 };
  const usualBalance = { entries: 1, ...noMarks, ...usualScores };
  const columnChanges = accountColumns.map((name) => `${name} = excluded.${name}`).join(', ');
  const replacing = `on conflict (account_id) do update set ${columnChanges}`;
  const saveBalance = prepareInsert(database, 'balances', balanceColumns, usualBalance, replacing);
  const saveRowOf = memoizeOne((table: HotTable) => {
    const names = Object.keys(table.columns);
    const statement = database.prepare(
      `insert into ${table.name} (${names.join(', ')}) values (?${', ?'.repeat(names.length - 1)})
       ${replacement(table)}`,
    );
    return (row: object) => {
      const values: Readonly<Record<string, unknown>> = { ...row };
      statement.run(...(names.map((column) => values[column]) as SQLInputValue[]));
    };
  });
  const effectColumns = [
    ...['delivery_id', 'kind', 'queue', 'content', 'state', 'attempts', 'due_at', 'created_at', 'traceparent'],
  ];
  const usualEffect = { kind: 'announcement', state: 'waiting', attempts: 0, traceparent: null };
  const insertEffect = prepareInsert(database, 'effects', effectColumns, usualEffect);

  return (changes) => {
    const { newDeliveries, replayedDeliveries, entries, accounts, effects, orders, corrections } = changes;
    for (const delivery of newDeliveries) {
      const { id, receivedAt, family, listing, kind, outcome, reason, userId, credits, body, originalId, origin } =
        delivery;
      insertDelivery([
        ...[id, receivedAt, family, listing, kind, outcome, reason, userId, credits, body, originalId ?? null],
        origin ? serializeIdentities(origin) : null,
      ]);
    }
    for (const delivery of replayedDeliveries) run(updateReplayedDelivery(db, delivery).compile());
    for (const entry of entries) {
      const { id, accountId, listing, credits, cause, reason, at, deliveryId, previous, number, untimed } = entry;
      insertEntry([
        ...[id, accountId, listing, credits, cause, reason, at, deliveryId, previous, number, untimed ? 1 : 0],
        entry.achievement,
      ]);
    }
    for (const account of accounts.values()) saveBalance([account.id, ...accountValues(account)]);
    for (const [table, rows] of changes.rows) {
      const save = saveRowOf(table);
      for (const row of rows.values()) save(row);
    }
    for (const effect of effects) {
      const { deliveryId, kind, queue, createdAt, traceparent } = effect;
      const content = serializeContent(effect);
      insertEffect([
        ...[deliveryId ?? noDelivery, kind, queue, content, 'waiting', 0, createdAt, createdAt, traceparent ?? null],
      ]);
    }
    for (const { order, at } of orders) for (const query of saveOrder(db, order, at)) run(query.compile());
    for (const correction of corrections) run(insertCorrection(db, correction).compile());
  };
}
