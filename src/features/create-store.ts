import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import type { FileClaim } from '@tallyhook/platform/database/file-claim';
import { monitorFiles } from '@tallyhook/platform/database-file-monitor';
import { second } from '@tallyhook/platform/durations';
import { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { type CommunityId, type LedgerReads, partsOf } from '../core/ledger/account.ts';
import type { Standings } from '../core/ledger/standing.ts';
import { accountsOfMember } from '../core/store/accounts.ts';
import { type DatabaseSource, openDatabase } from '../core/store/open-database.ts';
import { queryBuilder } from '../core/store/query-builder.ts';
import { createSqlClients, type SqlClients } from '../core/store/sql-module.ts';
import { createFindLastVotes, sqlLedger, sqlStandings } from '../core/store/standings/standings.ts';
import { type CountVoters, sqlVoters } from '../core/store/standings/voters.ts';
import {
  type CountRecordedVotes,
  sqlVoteCounts,
  type VoteActivity,
  type VotesPerDay,
} from '../core/store/standings/votes-per-day.ts';
import { type RecordingJob, type Recordings, recordingNames } from '../core/tally/recorder.ts';
import { type Modules, storedFeatures } from './index.ts';
import { type Counting, createCounting } from './upkeep/store.ts';

/** `.ts` in the repository, `.js` in the package; null in a bundle of others, which lacks it. */
function findWorkerFile(): URL | null {
  const url: string | undefined = import.meta.url; // A bundle of CommonJS has none.
  if (url === undefined) return null;
  const file = new URL(`./write-worker${extname(url)}`, url);
  return existsSync(file) ? file : null;
}

/** Communities whose standings are kept in memory. */
const maxStandings = 200;

/** How long a failed write makes the store unready: longer than the Retry-After of 5 s that senders receive. */
const writeFailureHoldMs = 6 * second;

export interface Store extends SqlClients<Modules> {
  readonly recorder: Recordings;
  ledgerIn(communityId: CommunityId): LedgerReads;
  /** Standings in a community by the calendar of a time zone (IANA name). Each community has one cache. */
  /** @param hiddenRoles Discord IDs of the roles whose members are on no leaderboard; none by default */
  standingsIn(communityId: CommunityId, timeZone: string, hiddenRoles?: readonly string[]): Standings;
  /** Votes by the calendar of a time zone (IANA name). Each time zone has one cache. */
  votesPerDayIn(timeZone: string): VotesPerDay;
  voteActivityIn(timeZone: string): VoteActivity;
  /** Counts who has voted in the week of a day (day number). */
  readonly countVoters: CountVoters;
  recordedVotesIn(timeZone: string): CountRecordedVotes;
  /** In which communities a member has an account. Rejects with the driver's error. */
  communitiesOf(userId: string): Promise<readonly CommunityId[]>;
  readonly counting: Counting;
  /** Throws {@link DatabaseFileReplacedError} if the file at the path is not the open one. Takes microseconds. */
  checkFiles(): void;
  /**
   * Resolves if a transaction can be committed; rejects with {@link StoreUnavailableError}, {@link QueueFullError} or
   * {@link DatabaseFileReplacedError}.
   */
  probe(): Promise<void>;
  waiting(): number;
  /** Commits the waiting transactions, then closes the database. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  readonly thread?: boolean;
  readonly claim?: FileClaim;
  readonly log?: Log;
}

/**
 * Opens a database and applies missing migrations.
 * Throws {@link DatabaseTooNewError} and {@link CannotOpenDatabaseError}.
 * @param options.thread whether a worker thread writes to SQLite; default true. For few writes it is not worth its start
 * @param options.claim of a program that runs until it is stopped: rejects with `in_use` if another one has claimed the
 *   SQLite file, and reports a new ledger. Short commands have none
 * @param options.log where to report upgrades, and that the database file was deleted or replaced
 */
export async function createStore(
  source: DatabaseSource,
  clock: Clock,
  { thread = true, claim, log }: OpenStoreOptions = {},
): Promise<Store> {
  const features = { ...storedFeatures, workerFile: findWorkerFile() };
  const { dialect, commits, release, isNew } = await openDatabase(source, clock, features, {
    thread,
    claim: claim ?? null,
    log,
  });
  if (claim !== undefined && isNew)
    log?.info({ database: sqlitePathOf(source.url) ?? 'PostgreSQL' }, 'created a new, empty ledger');
  const db = queryBuilder(dialect);
  const { reading } = dialect;
  const monitor = log && dialect.files ? monitorFiles(dialect.checkFiles, log) : undefined;

  const { reusesShortenedRows } = dialect;
  const sql = { ...features, db, connection: reading, reusesShortenedRows };
  const findLastVotes = createFindLastVotes(db, reading);
  const standings = new BoundedMap<Standings>(maxStandings);
  const ledgerIn = sqlLedger(db, reading, findLastVotes);

  let lastWriteFailure: { error: StoreUnavailableError; at: number } | undefined;

  /**
   * Stores the last failure for the readiness check: a full disk may have room for the probe's row, but not for a
   * delivery. A failed probe is stored too, so that unauthenticated readiness requests cannot cause a write each.
   */
  function noteFailure(error: unknown): never {
    if (error instanceof StoreUnavailableError) lastWriteFailure = { error, at: clock.monotonic() };
    throw error;
  }

  /** A recording, the largest write, ends the failure state immediately. */
  function clearFailure<Result>(result: Result): Result {
    lastWriteFailure = undefined;
    return result;
  }

  function checkFiles(): void {
    const replaced = dialect.checkFiles();
    if (replaced !== null) throw replaced;
  }

  const clients = createSqlClients(features.modules, sql, (job) => commits.write(job).catch(noteFailure));

  const voteCounts = sqlVoteCounts(db, reading, clock);

  return {
    checkFiles,
    recorder: createRecordings((job) => commits.write(job).then(clearFailure, noteFailure)),
    ledgerIn,
    standingsIn(accounts, timeZone, hiddenRoles = []) {
      const key = [accounts, timeZone, ...hiddenRoles].join(' ');
      const known =
        standings.get(key) ?? sqlStandings(db, dialect, clock, findLastVotes, accounts, timeZone, hiddenRoles);
      standings.set(key, known);
      return known;
    },
    votesPerDayIn: voteCounts.perDayIn,
    voteActivityIn: voteCounts.activityIn,
    countVoters: sqlVoters(db, dialect),
    recordedVotesIn: voteCounts.recordedIn,
    communitiesOf: async (userId) =>
      (await accountsOfMember(reading, db, userId)).map((accountId) => partsOf(accountId).communityId),
    counting: createCounting(clients.counters, clock, dialect.dataVersion !== null),
    ...clients,
    async probe() {
      checkFiles();
      if (lastWriteFailure !== undefined && clock.monotonic() - lastWriteFailure.at < writeFailureHoldMs) {
        throw lastWriteFailure.error;
      }
      await clients.probes.write(clock.now()).catch((error: unknown) => {
        // The readiness endpoint is public, and the messages of drivers contain host and user names.
        throw error instanceof TallyhookError ? error : new StoreUnavailableError(error);
      });
    },
    waiting: commits.waiting,
    async close() {
      monitor?.stop();
      await commits.close();
      await dialect.close();
      release();
    },
  };
}

/** @param write runs the job in a transaction of the writer, and resolves to its result */
export function createRecordings(write: (job: RecordingJob) => Promise<unknown>): Recordings {
  const recordings = recordingNames.map((name) => [
    name,
    (...args: unknown[]) => write({ name, args } as RecordingJob),
  ]);
  return Object.fromEntries(recordings);
}
