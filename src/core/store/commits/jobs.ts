import { messageOf, StoreUnavailableError } from '@tallyhook/platform/errors';
import type { Vote, VoteAtSite } from '../../../webhook/event.ts';
import type { ListingContext } from '../../tally/listing-context.ts';
import type { RecordingJob } from '../../tally/recorder.ts';
import type { Delivery, RecordedDelivery, RoutedDelivery } from '../../tally/tally.ts';
import type { ModuleWrite } from '../sql-module.ts';

/**
 * What the writer does: a recording, or a write of a module. Arguments and results are plain data, so that the caller can
 * be on another thread.
 */
export type Job = RecordingJob | ModuleWrite;

export function isRecordingJob(job: Job): job is RecordingJob {
  return !('module' in job);
}

/*
 * The messages between the main thread and the write worker. A vote and its result are sent as tuples: to clone an
 * object is to write and read the name of each field, which would be a twentieth of the total cost of a vote
 * (`bench/README.md`).
 */

/** Jobs for the worker, each with the id that its response repeats. */
export type WorkerRequest = readonly (readonly [id: number, job: EncodedJob])[];

/** Results of jobs. */
export type WorkerResponse = readonly (readonly [id: number, outcome: JobOutcome])[];

/** With the listing itself when its number is used for the first time. */
type EncodedListing = number | readonly [number: number, listing: ListingContext];
type EncodedVote = ReturnType<typeof encodeVote>;
type EncodedRecorded = ReturnType<typeof encodeRecorded>;
export type EncodedJob = Job | EncodedVote;

/** Errors lose their class when they are cloned, so they are encoded by kind. */
export type JobOutcome =
  | { readonly status: 'done'; readonly result: unknown }
  | { readonly status: 'unavailable'; readonly message: string; readonly hint: string | undefined }
  | { readonly status: 'failed'; readonly message: string }
  | EncodedRecorded;

/** Each thread remembers this many listings, so that a vote is sent with the number of its listing. */
const maxListings = 4_096;

/** Encodes votes as tuples, and returns other jobs unchanged. The messages must be decoded in their order. */
export function createJobEncoder(): (job: Job) => EncodedJob {
  const numbers = new Map<ListingContext, number>();
  let next = 0;

  function encodeListing(listing: ListingContext): EncodedListing {
    const known = numbers.get(listing);
    if (known !== undefined) return known;
    const number = next;
    next = (next + 1) % maxListings;
    // Its number is the next one again.
    const [oldest] = numbers.size < maxListings ? [] : numbers.keys();
    if (oldest !== undefined) numbers.delete(oldest);
    numbers.set(listing, number);
    return [number, listing];
  }

  return (job) => {
    if (!isRecordingJob(job) || job.name !== 'record') return job;
    const [delivery, routed] = job.args;
    return routed.type === 'event' && routed.event.family === 'vote'
      ? encodeVote(delivery, routed.event, encodeListing(routed.listing))
      : job;
  };
}

/** Decodes what one encoder has encoded. */
export function createJobDecoder(): (encoded: EncodedJob) => Job {
  const listings: ListingContext[] = [];

  function decodeListing(encoded: EncodedListing): ListingContext {
    if (typeof encoded === 'number') {
      const listing = listings[encoded];
      if (listing === undefined) throw new Error(`Listing ${encoded} was not sent.`);
      return listing;
    }
    const [number, listing] = encoded;
    listings[number] = listing;
    return listing;
  }

  return (encoded) =>
    'name' in encoded ? encoded : { name: 'record', args: decodeVote(encoded, decodeListing(encoded[9])) };
}

/** @param result what the job has returned */
export function encodeResult(job: Job, result: unknown): JobOutcome {
  const isRecord = isRecordingJob(job) && job.name === 'record';
  return isRecord ? encodeRecorded(result as RecordedDelivery) : { status: 'done', result };
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

function encodeVote({ receivedAt, body, traceparent }: Delivery, vote: Vote, listing: EncodedListing) {
  const { kind, target, userId, at, creditsAwarded, denial, atSite } = vote;
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
    atSite && encodeAtSite(atSite),
  ] as const;
}

function decodeVote(encoded: EncodedVote, listing: ListingContext): [Delivery, RoutedDelivery] {
  const [receivedAt, body, kind, targetKind, targetId, userId, at, creditsAwarded, denial, , traceparent, atSite] =
    encoded;
  const target = { kind: targetKind, id: targetId };
  const vote = { family: 'vote', kind, target, userId, at, creditsAwarded, denial } as const;
  const event: Vote = atSite === undefined ? vote : { ...vote, atSite: decodeAtSite(atSite) };
  return [
    { receivedAt, family: 'vote', body, ...(traceparent !== undefined && { traceparent }) },
    { type: 'event', event, listing },
  ];
}

function encodeAtSite({ id, weight, nextVoteAt }: VoteAtSite) {
  return [id, weight, nextVoteAt] as const;
}

function decodeAtSite([id, weight, nextVoteAt]: ReturnType<typeof encodeAtSite>): VoteAtSite {
  return { id, weight, nextVoteAt };
}

function encodeRecorded({ outcome, deliveryId, credits, reason, isAnnounced, causes }: RecordedDelivery) {
  return [outcome, deliveryId, credits, reason, isAnnounced, ...causes] as const;
}

function decodeRecorded(encoded: EncodedRecorded): RecordedDelivery {
  const [outcome, deliveryId, credits, reason, isAnnounced, ...causes] = encoded;
  return { outcome, deliveryId, credits, reason, isAnnounced, causes };
}
