import type { CommandRegistry } from '../discord/command-registry.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { BudgetStore } from '../lookup/budget.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OwnerActions } from '../owner/owner-actions.ts';
import type { Records } from '../owner/records.ts';
import type { SessionRevocations } from '../owner/revocations.ts';
import type { Clock } from '../platform/clock.ts';
import { monitorFiles } from '../platform/database-file-monitor.ts';
import { second } from '../platform/durations.ts';
import { messageOf, StoreUnavailableError, TallyhookError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Quarantine } from '../tally/quarantine-log.ts';
import type { Recorder } from '../tally/recorder.ts';
import { createGroupCommit, type GroupCommit } from './commits/group-commit.ts';
import { createWriter } from './commits/writer.ts';
import type { Dialect } from './dialect/dialect.ts';
import { migrate } from './migrations/migrate.ts';
import { sqlAccounts } from './reads/accounts.ts';
import { sqlCommandRegistry } from './reads/command-registry.ts';
import { sqlLeaderboard } from './reads/leaderboard.ts';
import { sqlOutbox } from './reads/outbox.ts';
import { sqlQuarantine } from './reads/quarantine.ts';
import { sqlRecords } from './reads/records.ts';
import { compiler } from './statement.ts';
import { spentSince } from './writes/budget-log.ts';
import { isSessionRevoked } from './writes/session-revocations.ts';

/** Deliveries that may wait for the disk at one time; beyond it senders are told to come back (503). */
const maxWaiting = 10_000;

/** How long a write that failed speaks against the store: longer than senders are told to stay away, 5 s. */
const writeFailureHoldMs = 6 * second;

/** The database cannot be used at all: no such server, no permission, or a file that is no database. */
export class CannotOpenDatabaseError extends TallyhookError {
  constructor(cause: unknown) {
    super('cannot_open_database', `The database cannot be opened: ${messageOf(cause) || String(cause)}.`, {
      cause,
      hint: 'Check DATABASE_URL: that the folder may be written, or that the server runs and takes the user and password.',
    });
  }
}

/** Where everything is kept: the adapters of every room's port over one database. */
export interface Store {
  readonly recorder: Recorder;
  readonly outbox: Outbox;
  readonly ledger: LedgerReads;
  readonly records: Records;
  readonly quarantine: Quarantine;
  readonly ownerActions: OwnerActions;
  readonly sessions: SessionRevocations;
  readonly budgetStore: BudgetStore;
  readonly commandRegistry: CommandRegistry;
  /** Throws {@link DatabaseFileReplacedError} when the file is not the one that is open. Takes microseconds. */
  checkFiles(): void;
  /**
   * Resolves when a transaction could be committed; rejects with {@link StoreUnavailableError}, {@link QueueFull} or
   * {@link DatabaseFileReplacedError}.
   */
  probe(): Promise<void>;
  /** How many transactions wait to be committed. */
  waiting(): number;
  /** Commits what waits, then closes. */
  close(): Promise<void>;
}

/**
 * `sqlite:` followed by a path, or `postgres://…`. Applies the migrations that are missing. SQLite is written to on a thread of its own,
 * unless `thread` is false: where little is written, starting one costs more than it saves. With a `log` it reports
 * there when the database's file is deleted or replaced. Throws {@link DatabaseTooNew} and {@link CannotOpenDatabaseError}.
 */
export async function openStore(
  url: string,
  clock: Clock,
  { thread = true, log }: { thread?: boolean; log?: Log } = {},
): Promise<Store> {
  const { dialect, commits } = await opened(url, clock, thread);
  const db = compiler(dialect);
  const { reading } = dialect;
  const monitor = log && dialect.files ? monitorFiles(dialect.checkFiles, log) : undefined;

  let trouble: { error: StoreUnavailableError; at: number } | undefined;

  /**
   * A write that fails is remembered: a full disk may have room for the probe and none for a delivery. So is a failed probe, or a
   * stranger who requests the readiness again and again would cause as many writes.
   */
  const write: typeof commits.write = (name, ...args) => {
    const writing = commits.write(name, ...args);
    writing.catch((error: unknown) => {
      if (error instanceof StoreUnavailableError) trouble = { error, at: clock.monotonic() };
    });
    return writing;
  };

  /** Only a delivery that is stored ends the trouble at once: everything else is smaller. */
  async function recorded<Result>(recording: Promise<Result>): Promise<Result> {
    const result = await recording;
    trouble = undefined;
    return result;
  }

  function checkFiles(): void {
    const replaced = dialect.checkFiles();
    if (replaced !== null) throw replaced;
  }

  return {
    checkFiles,
    recorder: {
      record: (delivery, meaning) => recorded(write('record', delivery, meaning)),
      recordReplay: (id, delivery, meaning, now) => recorded(write('recordReplay', id, delivery, meaning, now)),
    },
    outbox: sqlOutbox(db, reading, write),
    ledger: { ...sqlAccounts(db, reading), leaderboard: sqlLeaderboard(db, reading, clock) },
    records: sqlRecords(db, reading),
    quarantine: sqlQuarantine(db, reading),
    budgetStore: {
      acquire: (...request) => write('acquire', ...request),
      spent: (keyId, since) => spentSince(db, reading, keyId, since),
    },
    commandRegistry: sqlCommandRegistry(db, reading, write),
    ownerActions: {
      correct: (correction, idempotencyKey) => write('correct', correction, idempotencyKey),
      requeueEffect: (effectId, now) => write('requeueEffect', effectId, now),
    },
    sessions: {
      revoke: (session) => write('revokeSession', session),
      isRevoked: (id) => isSessionRevoked(db, reading, id),
    },
    async probe() {
      checkFiles();
      if (trouble !== undefined && clock.monotonic() - trouble.at < writeFailureHoldMs) throw trouble.error;
      await write('probe', clock.now()).catch((error: unknown) => {
        // Whoever asks whether the store is ready may be a stranger: a driver's words name hosts and users.
        throw error instanceof TallyhookError ? error : new StoreUnavailableError(error);
      });
    },
    waiting: commits.waiting,
    async close() {
      monitor?.stop();
      await commits.close();
      await dialect.close();
    },
  };
}

/**
 * The database, reachable and with every migration applied, and the way in to it. Each database's driver is loaded only where it is
 * used. Throws {@link DatabaseTooNew} and {@link CannotOpenDatabaseError}.
 */
async function opened(
  url: string,
  clock: Clock,
  thread: boolean,
): Promise<{ readonly dialect: Dialect; readonly commits: GroupCommit }> {
  try {
    const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
    const dialect =
      path === null
        ? (await import('./dialect/postgres.ts')).postgres(url)
        : (await import('./dialect/sqlite.ts')).sqlite(path);
    await migrate(dialect, clock).catch(async (error: unknown) => {
      await dialect.close();
      throw error;
    });
    const commits =
      dialect.files !== null && thread
        ? (await import('./commits/write-worker-client.ts')).startWriteWorker(dialect.files, maxWaiting)
        : createGroupCommit(createWriter(dialect), clock, maxWaiting);
    return { dialect, commits };
  } catch (error) {
    throw error instanceof TallyhookError ? error : new CannotOpenDatabaseError(error);
  }
}
