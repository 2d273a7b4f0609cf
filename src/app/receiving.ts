import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { BodyMemory } from '@tallyhook/platform/http/body';
import type { ForeignProtocol } from '@tallyhook/platform/http/server';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import type { ListingConfig } from '../../config/schema.ts';
import type { Metrics } from '../core/metrics.ts';
import type { QueueName } from '../core/outbox/queue.ts';
import { Intake } from '../core/receiving/intake.ts';
import { type ReceivingState, WebhookReceiver } from '../core/receiving/receiver.ts';
import { createReplay } from '../core/receiving/replay.ts';
import type { Recorder } from '../core/tally/recorder.ts';
import type { RecordedDelivery } from '../core/tally/tally.ts';
import type { Directory } from '../features/communities/directory.ts';
import { confirmationQueuesOf } from '../features/confirmations/feature.ts';
import { membershipQueuesOf } from '../features/guards/feature.ts';
import { createAlarmDecisions } from '../features/rate-alarms/decisions.ts';
import type { Store } from '../features/store.ts';
import { createHeartbeat } from '../features/upkeep/upkeep.ts';
import { createDeliveryQuota, type QuotaLimits } from '../webhook/delivery-quota.ts';
import { findSite } from '../webhook/sites/index.ts';

/** Limits of a listing that only captures: everybody who knows its address may send. */
const captureQuota: QuotaLimits = { maxDeliveries: 100, maxBytes: 1024 * 1024 };

/** Receives deliveries, and replays those that the owner has released. */
export function createReceiving({
  directory,
  targetIdOf,
  isUnreadable,
  memory,
  linkedQuota,
  ...recording
}: ReturnType<typeof createRecording> & {
  readonly directory: Directory;
  /** The Discord id of the server or bot that a listing is, without a request; null if it is not known. */
  readonly targetIdOf: (listing: string) => string | null;
  /** True if a webhook secret of a listing is stored, but cannot be decrypted here. */
  readonly isUnreadable: (listing: string) => boolean;
  /** Shared with the other routes of the program; by default its own. */
  readonly memory?: BodyMemory;
  /** For each listing that was linked in Discord; by default there is none. */
  readonly linkedQuota?: QuotaLimits;
}) {
  const { store, recorder, replay, onRecorded, clock, log, metrics } = recording;
  let state: ReceivingState = 'not started';
  const loops = [
    createHeartbeat({ store, clock, log }),
    createAlarmDecisions({ store, directory, replay, clock, log }),
  ];
  const ofLinked = linkedQuota && createDeliveryQuota(linkedQuota, clock);
  const ofCaptures = createDeliveryQuota(captureQuota, clock);
  const quotaOf = (name: string) => {
    const listing = directory.find(name);
    if (listing?.site?.id === 'capture') return ofCaptures;
    return listing?.linked === true ? ofLinked : undefined;
  };
  const intake = new Intake({
    isUnreadable,
    quotaOf,
    targetIdOf,
    recorder,
    clock,
    log,
    onRecorded,
    observeCommit: (durationMs) => metrics.commitSeconds.observe(durationMs / second),
  });
  const receiver = new WebhookReceiver({
    intake,
    directory,
    clock,
    log,
    ...(memory && { memory }),
    state: () => state,
    observeUnknownPath: () => metrics.misdirected.inc({ reason: 'path' }),
    observe: ({ status, outcome, durationMs }) => {
      metrics.deliveries.inc({ status, outcome: outcome ?? 'refused' });
      metrics.deliverySeconds.observe(durationMs / second);
    },
  });
  return {
    receiver,
    /** Accepts deliveries from now on; before, they are rejected with 503. */
    open(): void {
      state = 'started';
    },
    /** Rejects deliveries, because the store is about to be closed. */
    close(): void {
      state = 'stopped';
    },
    start(): void {
      for (const loop of loops) loop.start();
    },
    async stop(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Shared by receiving and replays: records with the calls of handlers, counts, and has effects processed. */
export function createRecording(options: {
  readonly store: Store;
  readonly directory: Pick<Directory, 'listings'>;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  /** Polls these queues, in every process. */
  readonly nudge: (queues: readonly QueueName[]) => void;
  readonly onRecorded?: ((recorded: RecordedDelivery) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { store, recorder, directory, metrics, nudge, clock, log } = options;
  const recording = {
    store,
    clock,
    log,
    metrics,
    recorder,
    listings: () => directory.listings,
    onRecorded(recorded: RecordedDelivery, queues: readonly QueueName[]): void {
      for (const cause of recorded.causes) metrics.entries.inc({ cause });
      if (queues.length > 0) nudge(queues);
      // What a feature has stored instead of a vote has a reason; most votes have none.
      const ownQueues =
        recorded.reason === null
          ? []
          : [confirmationQueuesOf, membershipQueuesOf].flatMap((queuesOf) => queuesOf(recorded, directory.listings));
      if (ownQueues.length > 0) nudge(ownQueues);
      if (options.onRecorded !== undefined) report(recorded, options.onRecorded);
    },
  };

  /** An error of the caller's function changes nothing: the delivery is stored, and must be acknowledged. */
  function report(recorded: RecordedDelivery, onRecorded: (recorded: RecordedDelivery) => unknown): void {
    const logFailure = (error: unknown) =>
      log.error({ err: error, delivery: recorded.deliveryId }, 'onRecorded failed after a delivery was stored');
    try {
      const result = onRecorded(recorded);
      if (result instanceof Promise) result.catch(logFailure);
    } catch (error) {
      logFailure(error);
    }
  }

  return { ...recording, replay: createReplay(recording) };
}

const hints: Readonly<Record<ForeignProtocol, string>> = {
  PROXY: 'A load balancer or proxy sends the PROXY protocol. Switch it off there, for this target.',
  TLS: 'This port speaks plain HTTP. Enter an http:// address at the proxy or tunnel, which ends TLS itself.',
  'HTTP/2': 'A proxy speaks HTTP/2 without TLS. Have it use HTTP/1.1 for this target.',
  unknown: 'Another program, or a scanner, uses this port. If it is a proxy, have it send plain HTTP/1.1.',
};

/** Counts and logs what the port receives that is no HTTP: behind a proxy that sends it, no vote arrives. */
export function createForeignBytesReport({ metrics, clock, log }: { metrics: Metrics; clock: Clock; log: Log }) {
  const logThrottled = createThrottledLog({ log, clock, intervalMs: minute });
  return (protocol: ForeignProtocol): void => {
    metrics.misdirected.inc({ reason: 'no_http' });
    const message = 'the port received bytes that are no HTTP request; responded with 400';
    logThrottled('warn', protocol, message, { protocol, hint: hints[protocol] });
  };
}

/** Stores commands and listings of a running program, which may be in code, for `tallyhook doctor`. Never rejects. */
export async function noteProgram(
  { installation }: Pick<Store, 'installation'>,
  listings: readonly ListingConfig[],
  names: readonly string[] | null,
  log: Log,
): Promise<void> {
  try {
    await installation.noteListings(
      listings
        .filter(({ implied }) => !implied)
        .map(({ name, kind, site, announceChannelId: channelId, ...secrets }) => ({
          ...{ name, kind, channelId, site: site === undefined ? null : findSite(site).name },
          hasSecret: secrets.voteSecrets.length > 0 || secrets.voteAuthorization !== null,
        })),
    );
    if (names !== null) await installation.noteCommands(names);
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the settings were not noted for `tallyhook doctor`');
  }
}
