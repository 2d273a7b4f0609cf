import { completeHistory } from '../../tally/complete-history.ts';
import { recordClaim } from '../../tally/record-claim.ts';
import { recordCorrection } from '../../tally/record-correction.ts';
import { recordDelivery, recordReplay } from '../../tally/recorder.ts';
import type { Tally } from '../../tally/tally.ts';

/** The operations that decide what counts, by name. They read and write through the tally of their batch. */
const operations = {
  record: recordDelivery,
  recordReplay,
  correct: recordCorrection,
  recordClaim,
  completeHistory,
};

type Operations = typeof operations;
type WithoutTally<Args extends readonly unknown[]> = Args extends readonly [Tally, ...infer Rest] ? Rest : never;

export type RecordingName = keyof Operations;
export type RecordingArgs = { [Name in RecordingName]: WithoutTally<Parameters<Operations[Name]>> };
export type RecordingResults = { [Name in RecordingName]: ReturnType<Operations[Name]> };

/** The operations as all other code calls them: each is a job of the writer, and rejects as the writer does. */
export type Recordings = {
  readonly [Name in RecordingName]: (...args: RecordingArgs[Name]) => Promise<RecordingResults[Name]>;
};

export type ClaimRecorder = Pick<Recordings, 'recordClaim'>;

export type RecordingResult = RecordingResults[RecordingName];

/** One operation to decide, discriminated by its name. */
export type RecordingJob = {
  [Name in RecordingName]: { readonly name: Name; readonly args: RecordingArgs[Name] };
}[RecordingName];

export function isRecordingJob(job: { readonly name: string }): job is RecordingJob {
  return Object.hasOwn(operations, job.name);
}

/** Decides a job, and writes its changes to the tally. Throws what the tally throws. */
export function decide(tally: Tally, job: RecordingJob): RecordingResult {
  switch (job.name) {
    case 'record':
      return operations.record(tally, ...job.args);
    case 'recordReplay':
      return operations.recordReplay(tally, ...job.args);
    case 'correct':
      return operations.correct(tally, ...job.args);
    case 'recordClaim':
      return operations.recordClaim(tally, ...job.args);
    case 'completeHistory':
      return operations.completeHistory(tally, ...job.args);
  }
}
