import { messageOf, StoreUnavailable } from '../errors.ts';
import type { Job } from './writes.ts';

/** What crosses to the thread that writes: what was asked for together, each under a number of its own. */
export type Asked = readonly (readonly [number: number, job: Job])[];

/** What comes back: all that was committed together. */
export type Answered = readonly (readonly [number: number, outcome: Outcome])[];

/** An error does not cross as what it is. */
type Outcome =
  | { readonly is: 'done'; readonly result: unknown }
  | { readonly is: 'unavailable'; readonly why: string }
  | { readonly is: 'failed'; readonly why: string };

export function fulfilled(result: unknown): Outcome {
  return { is: 'done', result };
}

export function failed(error: unknown): Outcome {
  return error instanceof StoreUnavailable
    ? { is: 'unavailable', why: String(error.cause) }
    : { is: 'failed', why: messageOf(error) };
}

/** The result, or the error thrown anew. */
export function resultOf(outcome: Outcome): unknown {
  switch (outcome.is) {
    case 'done':
      return outcome.result;
    case 'unavailable':
      throw new StoreUnavailable(outcome.why);
    case 'failed':
      throw new Error(outcome.why);
  }
}
