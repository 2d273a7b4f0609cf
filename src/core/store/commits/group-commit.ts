import type { Clock } from '@tallyhook/platform/clock';
import { DatabaseFileReplacedError } from '@tallyhook/platform/database-files';
import { second } from '@tallyhook/platform/durations';
import { messageOf, StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import type { Vote, VoteAtSite } from '../../../webhook/event.ts';
import type { ListingContext } from '../../tally/listing-context.ts';
import type { RecordingJob } from '../../tally/recorder.ts';
import type { Delivery, RecordedDelivery, RoutedDelivery } from '../../tally/tally.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { secretOf } from '../installation.ts';
import { queryBuilder } from '../query-builder.ts';
import { type ModuleWrite, runWrite, type StoredFeatures } from '../sql-module.ts';

/**
 * The result of a batch. Unless it is `committed`, nothing was stored, or only in a file that has been replaced since.
 */
type BatchResult =
  | { readonly status: 'committed'; readonly results: readonly unknown[] }
  /** Another connection holds the write lock; retry shortly. */
  | { readonly status: 'busy'; readonly cause: Error }
  /** The database is not writable: full, read-only or gone. */
  | { readonly status: 'unavailable'; readonly cause: Error }
  /** One of the jobs failed. */
  | { readonly status: 'failed'; readonly cause: Error };

/** Runs batches of jobs, each in one transaction. Calls must not overlap. */
interface Writer {
  /** Never rejects. */
  commit(batch: readonly Job[]): Promise<BatchResult>;
}

/** How long the result of a check of the files is valid for the next commit (ms). A check takes as long as a vote. */
const fileCheckTtlMs = 100;

/** A writer on a connection of its own. */
export function createWriter(dialect: Dialect, clock: Pick<Clock, 'monotonic'>, features: StoredFeatures): Writer {
  const writing = dialect.openWriting();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let secret: string | undefined;
  const { reusesShortenedRows } = dialect;
  const sql = { ...features, db: queryBuilder(dialect), connection: writing, reusesShortenedRows };

  async function record(jobs: readonly RecordingJob[]) {
    secret ??= await secretOf(sql);
    return writing.record(jobs, features.hooks, secret);
  }

  /** Events are decided first and together, so that the database is read once for all of them. */
  async function runInTransaction(batch: readonly Job[]): Promise<unknown[]> {
    await writing.begin();
    try {
      const recordings = batch.filter(isRecordingJob);
      const recorded = (recordings.length === 0 ? [] : await record(recordings)).values();
      const results: unknown[] = [];
      for (const job of batch)
        results.push(isRecordingJob(job) ? next(recorded) : await runWrite(features.modules, sql, job));
      await writing.commit();
      return results;
    } catch (error) {
      await writing.rollback().catch(() => {});
      throw error;
    }
  }

  const isUnavailable = (error: unknown) => error instanceof DatabaseFileReplacedError || dialect.isUnavailable(error);

  function throwIfReplaced(): void {
    const replaced = dialect.checkFiles();
    if (replaced !== null) throw replaced;
    checkedAt = clock.monotonic();
  }

  return {
    async commit(batch) {
      try {
        // A checkpoint would damage a file that was copied over this one.
        if (clock.monotonic() - checkedAt > fileCheckTtlMs) throwIfReplaced();
        const results = await runInTransaction(batch);
        // A commit to a file that was deleted meanwhile must not be acknowledged.
        throwIfReplaced();
        return { status: 'committed', results };
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        return {
          status: dialect.isBusy(error) ? 'busy' : isUnavailable(error) ? 'unavailable' : 'failed',
          cause,
        };
      }
    },
  };
}

function next<Item>(items: Iterator<Item>): Item {
  const { done, value } = items.next();
  if (done) throw new Error('There are fewer results than jobs.');
  return value;
}

/** Jobs per transaction: enough to share a commit, few enough to keep its latency low. */
const maxBatchSize = 256;
/** How long a job waits for a lock that another process holds before it is rejected. */
const lockTimeoutMs = 3 * second;
const lockRetryMs = 25;
/** Jobs that must wait before a further writer starts. */
const minOverlapLength = 16;

/** The queue of the writer is full. */
export class QueueFullError extends TallyhookError {
  constructor(waiting: number) {
    super('queue_full', `${waiting} transactions are already waiting for the database.`, {
      hint: 'The disk is slower than the incoming deliveries. No delivery is lost: the sender is asked to retry.',
    });
  }
}

interface QueuedJob {
  readonly job: Job;
  readonly queuedAt: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits jobs in batches. */
export interface GroupCommit {
  /**
   * Runs a job in a transaction, which may be repeated after a rollback. Resolves to its result once it is on disk. Rejects
   * with {@link StoreUnavailableError} (also after `close`), {@link QueueFullError}, or the job's own error.
   */
  write(job: Job): Promise<unknown>;
  /** The number of jobs that are not committed yet. */
  waiting(): number;
  /** Commits the queued jobs, then rejects new ones. */
  close(): Promise<void>;
}

/**
 * Commits queued jobs together, with one fsync for all of them. There is no timer: a single job starts in the same turn
 * of the event loop, and the next batch collects while one is being committed. With several writers, batches overlap,
 * which pays if most of the time is spent waiting for a server.
 * @param maxQueueLength number of jobs that may wait at one time
 */
export function createGroupCommit(writers: readonly Writer[], clock: Clock, maxQueueLength: number): GroupCommit {
  const queue: QueuedJob[] = [];
  const idle = [...writers];
  const flushing = new Set<Promise<void>>();
  let closed = false;

  /** The first writer starts for any job, another one only for a batch that is worth its round trips. */
  function startWriter(): void {
    const minQueueLength = idle.length === writers.length ? 1 : minOverlapLength;
    const writer = queue.length >= minQueueLength ? idle.pop() : undefined;
    if (writer === undefined) return;
    const flush = flushWith(writer);
    flushing.add(flush);
    void flush.then(() => flushing.delete(flush));
  }

  async function flushWith(writer: Writer): Promise<void> {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatchSize);
      await commit(writer, batch);
      // Lets requests that have arrived meanwhile be read, so that they join the next batch.
      if (queue.length > 0) await new Promise(setImmediate);
    }
    // In the same turn in which the queue was empty, or a new job would be left in it.
    idle.push(writer);
  }

  /**
   * If a job fails, its batch is rolled back and each job is committed alone, so that only the failing one is rejected.
   */
  async function commit(writer: Writer, batch: readonly QueuedJob[]): Promise<void> {
    const commitResult = await writer.commit(batch.map(({ job }) => job));
    switch (commitResult.status) {
      case 'committed':
        commitResult.results.forEach((result, index) => {
          batch[index]?.resolve(result);
        });
        return;
      case 'busy':
        queue.unshift(...batch);
        rejectExpired(commitResult.cause);
        // At random, so that two processes do not meet again.
        return clock.sleep(lockRetryMs * (0.5 + clock.random()));
      case 'unavailable':
        rejectAll(batch, new StoreUnavailableError(commitResult.cause));
        return rejectExpired(commitResult.cause);
      case 'failed':
        if (batch.length === 1) return rejectAll(batch, commitResult.cause);
        for (const queued of batch) await commit(writer, [queued]);
    }
  }

  function rejectAll(jobs: readonly QueuedJob[], error: Error): void {
    for (const { reject } of jobs) reject(error);
  }

  /**
   * Rejects all jobs that have waited for too long. Checks the whole queue, because a single attempt may take seconds.
   */
  function rejectExpired(cause: Error): void {
    const now = clock.monotonic();
    const isExpired = ({ queuedAt }: QueuedJob) => now - queuedAt >= lockTimeoutMs;
    const queued = queue.splice(0);
    queue.push(...queued.filter((each) => !isExpired(each)));
    rejectAll(queued.filter(isExpired), new StoreUnavailableError(cause));
  }

  return {
    write(job) {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('The store is closed.')));
      if (queue.length >= maxQueueLength) return Promise.reject(new QueueFullError(queue.length));
      return new Promise((resolve, reject) => {
        queue.push({ job, queuedAt: clock.monotonic(), resolve, reject });
        startWriter();
      });
    },
    waiting: () => queue.length,
    async close() {
      closed = true;
      while (flushing.size > 0) await Promise.all(flushing);
    },
  };
}

/** A group commit that gives recordings and all other jobs each a queue of their own. */
export function separateRecordings(recordings: GroupCommit, others: GroupCommit): GroupCommit {
  return {
    write: (job) => (isRecordingJob(job) ? recordings : others).write(job),
    waiting: () => recordings.waiting() + others.waiting(),
    async close() {
      await Promise.all([recordings.close(), others.close()]);
    },
  };
}

/**
 * A job of the writer: a recording, or a write of a module. Arguments and results are plain data, so that the caller
 * can be on another thread.
 */
export type Job = RecordingJob | ModuleWrite;

function isRecordingJob(job: Job): job is RecordingJob {
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

/** The number of a listing, with the listing itself when the number is used for the first time. */
type EncodedListing = number | readonly [number: number, listing: ListingContext];
type EncodedVote = ReturnType<typeof encodeVote>;
type EncodedRecorded = ReturnType<typeof encodeRecorded>;
type EncodedJob = Job | EncodedVote;

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
