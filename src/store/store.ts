import { type Clock, second } from '../clock.ts';
import { messageOf, StoreUnavailable, TallyhookError } from '../errors.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { BudgetLog } from '../lookup/budget.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Records } from '../owner/records.ts';
import type { Transact } from '../tally/tally.ts';
import { sqlAccounts } from './accounts.ts';
import { sqlBudgetLog } from './budget-log.ts';
import type { Dialect } from './dialect.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { sqlOutbox } from './outbox.ts';
import { sqlRecords } from './records.ts';
import { compiler, run } from './statement.ts';
import { sqlTally } from './tally.ts';

/** Deliveries that may wait for the disk at one time; beyond it senders are told to come back (503). */
const mostWaiting = 10_000;

/** How long a write that failed speaks against the store: longer than senders are told to stay away, 5 s. */
const troubleLasts = 6 * second;

/** The database cannot be used at all: no such server, no permission, or a file that is no database. */
export class CannotOpenDatabase extends TallyhookError {
  constructor(cause: unknown) {
    super('cannot_open_database', `The database cannot be opened: ${messageOf(cause) || String(cause)}.`, {
      cause,
      cure: 'Check DATABASE_URL: that the folder may be written, or that the server runs and takes the user and password.',
    });
  }
}

/** Where everything is kept: the adapters of every room's port over one database. */
export interface Store {
  readonly transact: Transact;
  readonly outbox: Outbox;
  readonly ledger: LedgerReads;
  readonly records: Records;
  readonly budgetLog: BudgetLog;
  /** Resolves when a transaction could be committed; rejects with {@link StoreUnavailable} otherwise. */
  probe(): Promise<void>;
  /** How many transactions wait to be committed. */
  waiting(): number;
  /** Commits what waits, then closes. */
  close(): Promise<void>;
}

/**
 * `sqlite:` followed by a path, or `postgres://…`. Applies the migrations that are missing. Throws {@link DatabaseTooNew} and
 * {@link CannotOpenDatabase}.
 */
export async function openStore(url: string, clock: Clock): Promise<Store> {
  const dialect = await opened(url, clock);
  const db = compiler(dialect);
  const { reading, writing } = dialect;
  const commits = createGroupCommit(dialect, clock, mostWaiting);
  const tally = sqlTally(db, writing);

  let trouble: { error: StoreUnavailable; at: number } | undefined;

  async function write<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await commits.write(work);
    } catch (error) {
      if (error instanceof StoreUnavailable) trouble = { error, at: clock.now() };
      throw error;
    }
  }

  return {
    async transact(work) {
      const result = await write(() => work(tally));
      trouble = undefined;
      return result;
    },
    outbox: sqlOutbox(db, reading, writing, write),
    ledger: sqlAccounts(db, reading),
    records: sqlRecords(db, reading),
    budgetLog: sqlBudgetLog(db, writing, write),
    async probe() {
      const at = clock.now();
      // A full disk may have room for the probe and none for a delivery, so only a delivery that is stored ends the trouble at once.
      if (trouble !== undefined && at - trouble.at < troubleLasts) throw trouble.error;
      const upsert = db.insertInto('probes').values({ id: 1, at });
      await commits.write(() =>
        run(
          writing,
          upsert.onConflict((conflict) => conflict.column('id').doUpdateSet({ at })),
        ),
      );
    },
    waiting: commits.waiting,
    async close() {
      await commits.close();
      await dialect.close();
    },
  };
}

/** The database, reachable and with every migration applied. Throws {@link DatabaseTooNew} and {@link CannotOpenDatabase}. */
async function opened(url: string, clock: Clock): Promise<Dialect> {
  try {
    const dialect = await dialectOf(url);
    await migrate(dialect, clock);
    return dialect;
  } catch (error) {
    throw error instanceof TallyhookError ? error : new CannotOpenDatabase(error);
  }
}

/** Each database's driver is loaded only where it is used. */
async function dialectOf(url: string): Promise<Dialect> {
  if (url.startsWith('sqlite:')) return (await import('./sqlite.ts')).sqlite(url.slice('sqlite:'.length));
  return (await import('./postgres.ts')).postgres(url);
}
