import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { coreModules } from '../modules.ts';
import { upsert } from '../query-builder.ts';
import type { RecordingArgs, RecordingName, RecordingResults } from '../recording/recording-jobs.ts';
import { type StoredFeatures, writesOfModules } from '../sql-module.ts';
import type { Tables } from '../tables.ts';

/** All operations that write and decide nothing about events, by name, for use inside a transaction of `connection`. */
export function createWrites(
  db: Kysely<Tables>,
  connection: Connection,
  { reusesShortenedRows }: Pick<Dialect, 'reusesShortenedRows'>,
  { modules, effects, memberTables, hooks }: StoredFeatures,
) {
  return {
    /** A write of a module. Its client knows the types of the arguments and of the result. */
    writeOfModule: writesOfModules(
      { ...coreModules, ...modules },
      { db, connection, effects, memberTables, hooks, reusesShortenedRows },
    ),

    /** Writes the time (ms since the epoch) to check that the database is writable. */
    probe(at: number): Promise<void> {
      return upsert({ db, connection }, 'probes', { id: 1 }, { at });
    },
  };
}

type Operations = ReturnType<typeof createWrites>;
type WriteName = keyof Operations;
export type JobName = WriteName | RecordingName;
export type JobArgs = { [Name in WriteName]: Parameters<Operations[Name]> } & RecordingArgs;
export type JobResults = { [Name in WriteName]: Awaited<ReturnType<Operations[Name]>> } & RecordingResults;

/** The operations in a form in which TypeScript relates the name of a job to its arguments and its result. */
export type Writes = { [Name in WriteName]: (...args: JobArgs[Name]) => Promise<JobResults[Name]> };

/** A job of {@link createWrites}. */
export type WriteJob<Name extends WriteName = WriteName> = {
  [N in Name]: { readonly name: N; readonly args: JobArgs[N] };
}[Name];

/**
 * One operation to run, discriminated by its name. Arguments and results are plain data, so that the caller can be on
 * another thread.
 */
export type Job<Name extends JobName = JobName> = {
  [N in Name]: { readonly name: N; readonly args: JobArgs[N] };
}[Name];

/** The job with this name and these arguments, as a member of the union. */
export function createJob<Name extends JobName>(name: Name, args: JobArgs[Name]): Job {
  const job: Job<Name> = { name, args };
  // TypeScript does not widen a generic member to its union.
  return job as Job;
}

/** A job's name and its result. */
export type JobResult<Name extends JobName = JobName> = {
  [N in Name]: { readonly name: N; readonly result: JobResults[N] };
}[Name];

/**
 * Runs one operation in a transaction. Resolves once it is committed to disk, and rejects as {@link GroupCommit} does.
 * The operation may be repeated after a rollback.
 */
export type Write = <Name extends JobName>(name: Name, ...args: JobArgs[Name]) => Promise<JobResults[Name]>;
