import type { DatabaseSync } from 'node:sqlite';
import { systemClock as clock } from '@tallyhook/platform/clock';
import { prepareDatabaseDirectory } from '@tallyhook/platform/database/database-directory';
import { runMigrations } from '@tallyhook/platform/database/migrations/migrate';
import { sqliteDialect } from '@tallyhook/platform/database/sqlite-dialect';
import { monitorFiles } from '@tallyhook/platform/database-file-monitor';
import { createFileCheck, identifyFiles, releaseFiles } from '@tallyhook/platform/database-files';
import { second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { forKysely, openSqlite, sqliteConnection, sqliteMigratingConnection } from '@tallyhook/platform/sqlite';
import { type Execute, type RecordVote, type SqliteEngine, unknownListing } from '../engine.ts';
import { migrations } from '../migrations/index.ts';
import { createDriver } from './driver.ts';

/** SQLite's busy timeout while the file is opened (ms): several processes may create it at the same time. */
const openTimeoutMs = 5 * second;

/** Opens a file and runs the missing migrations. @param path `:memory:` for a database in memory */
export async function openSqliteEngine(path: string, log: Log | undefined): Promise<SqliteEngine> {
  const file = path === ':memory:' ? inMemory() : inFile(path, log);
  try {
    const database = {
      ...sqliteDialect,
      reading: sqliteConnection(() => file.reader),
      migrating: sqliteMigratingConnection(() => file.writer),
    };
    await runMigrations(database, clock, migrations(sqliteDialect));
    for (const connection of [file.writer, file.reader]) connection.exec('PRAGMA busy_timeout = 0');
    const reader = forKysely(file.reader);
    const writer = file.reader === file.writer ? reader : forKysely(file.writer);
    const driver = await createDriver({ writer, reader, checkFiles: file.checkFiles, log });
    const readNow: Execute = (text, parameters) => reader.prepare(text).all(parameters);
    return {
      name: 'sqlite',
      dialect: sqliteDialect,
      driver,
      recordVote: createRecordVote(driver),
      readNow: reader === writer ? null : readNow,
      transact: driver.transact,
      close: async () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** One connection is both, because another would have a database of its own. */
function inMemory(): ReturnType<typeof inFile> {
  const connection = open(':memory:');
  return { writer: connection, reader: connection, checkFiles: () => null, close: () => connection.close() };
}

function inFile(path: string, log: Log | undefined) {
  prepareDatabaseDirectory(path);
  const [writer, reader] = [open(path), open(path)];
  const files = identifyFiles(path);
  const checkFiles = createFileCheck(files);
  const monitor = log && monitorFiles(checkFiles, log);
  return {
    writer,
    reader,
    checkFiles,
    close(): void {
      monitor?.stop();
      reader.close();
      writer.close();
      releaseFiles(files);
    },
  };
}

function open(path: string): DatabaseSync {
  const connection = openSqlite(path, { busyTimeoutMs: openTimeoutMs });
  connection.exec('PRAGMA journal_mode = WAL');
  // Confirmed votes and queued webhooks must survive a power failure.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // The first read creates the -wal and -shm files.
  connection.exec('PRAGMA schema_version');
  return connection;
}

const insertVote = `
  insert into votes (listing_id, user_id, voted_at, denial_reason) select ?, ?, ?, ?
  where exists (select 1 from listings where id = ? and state <> 'deleting')
    and not exists (select 1 from votes where listing_id = ? and user_id = ? and voted_at > ?)
  returning id`;

const selectLastVote = `
  select max(voted_at) as at from votes where user_id = ?2 and listing_id = (
    select id from listings where id = ?1 and state <> 'deleting'
  )`;

const upsertMember = `
  insert into members (user_id, username) values (?, ?)
  on conflict (user_id) do update set username = excluded.username where username <> excluded.username`;

const insertDelivery = `
  insert into deliveries (
    id, listing_id, family, event, test, body, created_at, state, attempts, next_attempt_at, leased_until, lease_id
  )
  select ?, listing_id, family, ?, 0, ?, ?, 'waiting', 0, ?, null, null from webhooks
  where listing_id = ? and family = ?
  returning id`;

/** Records votes with statements that are compiled once. */
function createRecordVote({ transact }: Pick<SqliteEngine, 'transact'>): RecordVote {
  return ({ listingId, voter: { userId, username }, votedAt, denialReason, cooldownStart, delivery }) =>
    transact((execute) => {
      const vote = [listingId, userId, votedAt, denialReason, listingId, listingId, userId, cooldownStart];
      if (execute(insertVote, vote).length === 0) {
        const [last] = execute(selectLastVote, [listingId, userId]) as [{ at: number | null }];
        if (last.at === null) throw unknownListing();
        return { recorded: false, lastVoteAt: last.at };
      }
      execute(upsertMember, [userId, username]);
      const { id, event, body, createdAt, family } = delivery;
      const queued = execute(insertDelivery, [id, event, body, createdAt, createdAt, listingId, family]);
      return { recorded: true, isQueued: queued.length > 0 };
    });
}
