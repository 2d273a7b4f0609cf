import { messageOf, StoreUnavailableError } from '@tallyhook/platform/errors';
import type { Vote, VoteAtSite } from '../../../webhook/event.ts';
import type { ListingContext } from '../../tally/listing-context.ts';
import { recordClaim } from '../../tally/record-claim.ts';
import { recordCorrection, recordTransfer } from '../../tally/record-correction.ts';
import { recordDelivery, recordReplay } from '../../tally/recorder.ts';
import type { Delivery, RecordedDelivery, RoutedDelivery, Tally } from '../../tally/tally.ts';
import type { WriteOfModule } from '../sql-module.ts';

/** The operations that decide what counts, by name. They read and write through the tally of their batch. */
const operations = {
  record: recordDelivery,
  recordReplay,
  correct: recordCorrection,
  transfer: recordTransfer,
  recordClaim,
};

type Operations = typeof operations;
type WithoutTally<Args extends readonly unknown[]> = Args extends readonly [Tally, ...infer Rest] ? Rest : never;

type RecordingName = keyof Operations;
type RecordingArgs = { [Name in RecordingName]: WithoutTally<Parameters<Operations[Name]>> };
type RecordingResults = { [Name in RecordingName]: ReturnType<Operations[Name]> };

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
export function decide(tally: Tally, { name, args }: RecordingJob): RecordingResult {
  // TypeScript does not relate the name to the arguments.
  const operation = operations[name] as (tally: Tally, ...args: RecordingJob['args']) => RecordingResult;
  return operation(tally, ...args);
}

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
    if (job.name !== 'record') return job;
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
