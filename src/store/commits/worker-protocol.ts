import { messageOf, StoreUnavailableError } from '../../platform/errors.ts';
import type { Recorder } from '../../tally/recorder.ts';
import type { RecordedDelivery } from '../../tally/tally.ts';
import type { Job } from '../writes/writes.ts';
import {
  decodeRecorded,
  decodeVote,
  type EncodedRecorded,
  type EncodedVote,
  encodeRecorded,
  encodeVote,
} from './vote-codec.ts';

/** What crosses to the thread that writes: what was asked for together, each under a number of its own. */
export type WorkerRequest = readonly (readonly [number: number, job: Job | EncodedVote])[];

/** What comes back: all that was committed together. */
export type WorkerResponse = readonly (readonly [number: number, outcome: JobOutcome | EncodedRecorded])[];

/** An error does not cross as what it is. */
type JobOutcome =
  | { readonly status: 'done'; readonly result: unknown }
  | { readonly status: 'unavailable'; readonly message: string }
  | { readonly status: 'failed'; readonly message: string };

/** The job as it crosses: a vote as a list, anything else as it is. */
export function encodeJob(job: Job): Job | EncodedVote {
  if (job.name !== 'record') return job;
  const [delivery, meaning] = job.args as Parameters<Recorder['record']>;
  return meaning.type === 'event' && meaning.event.family === 'vote'
    ? encodeVote(delivery, meaning.event, meaning.listing)
    : job;
}

export function decodeJob(crossed: Job | EncodedVote): Job {
  return 'name' in crossed ? crossed : { name: 'record', args: decodeVote(crossed) };
}

export function encodeResult({ name }: Job, result: unknown): JobOutcome | EncodedRecorded {
  return name === 'record' ? encodeRecorded(result as RecordedDelivery) : { status: 'done', result };
}

export function encodeError(error: unknown): JobOutcome {
  return error instanceof StoreUnavailableError
    ? { status: 'unavailable', message: String(error.cause) }
    : { status: 'failed', message: messageOf(error) };
}

/** The result. @throws StoreUnavailable, or an Error with the words of any other, thrown anew */
export function decodeResult(outcome: JobOutcome | EncodedRecorded): unknown {
  if (!('status' in outcome)) return decodeRecorded(outcome);
  switch (outcome.status) {
    case 'done':
      return outcome.result;
    case 'unavailable':
      throw new StoreUnavailableError(outcome.message);
    case 'failed':
      throw new Error(outcome.message);
  }
}
