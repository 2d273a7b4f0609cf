import type { RecordingArgs, RecordingResults } from '../recording/recording-jobs.ts';
import type { WriteOfModule } from '../sql-module.ts';

/** What the writer does, by name: the recordings, and a write of a module, whose client knows its types. */
export type JobArgs = RecordingArgs & { readonly writeOfModule: Parameters<WriteOfModule> };
export type JobName = keyof JobArgs;
export type JobResults = RecordingResults & { readonly writeOfModule: unknown };

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
