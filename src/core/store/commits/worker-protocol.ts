import { messageOf, StoreUnavailableError } from '../../../platform/errors.ts';
import type { Vote } from '../../../webhook/event.ts';
import type { ListingContext } from '../../tally/listing-context.ts';
import type { Delivery, RecordedDelivery, RoutedDelivery } from '../../tally/tally.ts';
import type { Job, JobResult } from './jobs.ts';

/*
 * The messages between the main thread and the write worker. A vote and its result are sent as tuples: to clone an
 * object is to write and read the name of each field, which would be a twentieth of the total cost of a vote
 * (`bench/README.md`).
 */

/** Jobs for the worker, each with the id that its response repeats. */
export type WorkerRequest = readonly (readonly [id: number, job: EncodedJob])[];

/** Results of jobs. */
export type WorkerResponse = readonly (readonly [id: number, outcome: JobOutcome])[];

type EncodedVote = ReturnType<typeof encodeVote>;
type EncodedRecorded = ReturnType<typeof encodeRecorded>;
export type EncodedJob = Job | EncodedVote;

/** Errors lose their class when they are cloned, so they are encoded by kind. */
export type JobOutcome =
  | { readonly status: 'done'; readonly result: unknown }
  | { readonly status: 'unavailable'; readonly message: string; readonly hint: string | undefined }
  | { readonly status: 'failed'; readonly message: string }
  | EncodedRecorded;

/** Encodes a recorded vote as a tuple and returns any other job unchanged. */
export function encodeJob(job: Job): EncodedJob {
  if (job.name !== 'record') return job;
  const [delivery, routed] = job.args;
  return routed.type === 'event' && routed.event.family === 'vote'
    ? encodeVote(delivery, routed.event, routed.listing)
    : job;
}

export function decodeJob(encoded: EncodedJob): Job {
  return 'name' in encoded ? encoded : { name: 'record', args: decodeVote(encoded) };
}

export function encodeResult(job: JobResult): JobOutcome {
  return job.name === 'record' ? encodeRecorded(job.result) : { status: 'done', result: job.result };
}

export function encodeError(error: unknown): JobOutcome {
  return error instanceof StoreUnavailableError
    ? { status: 'unavailable', message: String(error.cause), hint: error.hint }
    : { status: 'failed', message: messageOf(error) };
}

/** The result of the job. @throws StoreUnavailableError, or for any other error an Error with its message */
export function decodeResult(outcome: JobOutcome): unknown {
  if (!('status' in outcome)) return decodeRecorded(outcome);
  switch (outcome.status) {
    case 'done':
      return outcome.result;
    case 'unavailable':
      throw new StoreUnavailableError(outcome.message, outcome.hint);
    case 'failed':
      throw new Error(outcome.message);
  }
}

function encodeVote({ receivedAt, body, traceparent }: Delivery, vote: Vote, listing: ListingContext) {
  const { kind, target, userId, at, creditsAwarded, denial } = vote;
  return [
    receivedAt,
    body,
    kind,
    target.kind,
    target.id,
    userId,
    at,
    creditsAwarded,
    denial,
    listing,
    traceparent,
  ] as const;
}

function decodeVote(encoded: EncodedVote): [Delivery, RoutedDelivery] {
  const [receivedAt, body, kind, targetKind, targetId, userId, at, creditsAwarded, denial, listing, traceparent] =
    encoded;
  const target = { kind: targetKind, id: targetId };
  const event: Vote = { family: 'vote', kind, target, userId, at, creditsAwarded, denial };
  return [
    { receivedAt, family: 'vote', body, ...(traceparent !== undefined && { traceparent }) },
    { type: 'event', event, listing },
  ];
}

function encodeRecorded({ outcome, deliveryId, credits, reason, isAnnounced, causes }: RecordedDelivery) {
  return [outcome, deliveryId, credits, reason, isAnnounced, ...causes] as const;
}

function decodeRecorded(encoded: EncodedRecorded): RecordedDelivery {
  const [outcome, deliveryId, credits, reason, isAnnounced, ...causes] = encoded;
  return { outcome, deliveryId, credits, reason, isAnnounced, causes };
}
