import { messageOf, StoreUnavailable } from '../../errors.ts';
import type { Recorder } from '../../tally/recorder.ts';
import type { Recorded } from '../../tally/tally.ts';
import type { Job } from '../writes/writes.ts';
import { type FlatRecorded, type FlatVote, flatRecorded, flatVote, recordedIn, voteIn } from './flat-vote.ts';

/** What crosses to the thread that writes: what was asked for together, each under a number of its own. */
export type Asked = readonly (readonly [number: number, job: Job | FlatVote])[];

/** What comes back: all that was committed together. */
export type Answered = readonly (readonly [number: number, outcome: Outcome | FlatRecorded])[];

/** An error does not cross as what it is. */
type Outcome =
  | { readonly is: 'done'; readonly result: unknown }
  | { readonly is: 'unavailable'; readonly why: string }
  | { readonly is: 'failed'; readonly why: string };

/** The job as it crosses: a vote as a list, anything else as it is. */
export function packed(job: Job): Job | FlatVote {
  if (job.name !== 'record') return job;
  const [delivery, meaning] = job.args as Parameters<Recorder['record']>;
  return meaning.is === 'event' && meaning.event.family === 'vote'
    ? flatVote(delivery, meaning.event, meaning.listing)
    : job;
}

export function unpacked(crossed: Job | FlatVote): Job {
  return 'name' in crossed ? crossed : { name: 'record', args: voteIn(crossed) };
}

export function fulfilled({ name }: Job, result: unknown): Outcome | FlatRecorded {
  return name === 'record' ? flatRecorded(result as Recorded) : { is: 'done', result };
}

export function failed(error: unknown): Outcome {
  return error instanceof StoreUnavailable
    ? { is: 'unavailable', why: String(error.cause) }
    : { is: 'failed', why: messageOf(error) };
}

/** The result. @throws StoreUnavailable, or an Error with the words of any other, thrown anew */
export function resultOf(outcome: Outcome | FlatRecorded): unknown {
  if (!('is' in outcome)) return recordedIn(outcome);
  switch (outcome.is) {
    case 'done':
      return outcome.result;
    case 'unavailable':
      throw new StoreUnavailable(outcome.why);
    case 'failed':
      throw new Error(outcome.why);
  }
}
