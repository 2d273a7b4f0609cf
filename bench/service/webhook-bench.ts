import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { generate } from '../../packages/listing-service/src/generate/generate.ts';
import { type Database, openDatabase } from '../../packages/listing-service/src/storage/database.ts';
import { pauseForOwner, resumeWebhook } from '../../packages/listing-service/src/storage/deliveries/webhooks.ts';
import { type Child, startChild } from '../process/child.ts';
import { median, percentile } from '../samples.ts';
import type { VoteRun, VotesCast } from './service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const population = { listings: 100, members: 100, votes: 1_000, reviews: 100 };
const callers = 64;
/** Deliveries of a backlog. */
export const backlog = 10_000;

/** One measurement; `cpu` is that of the service per delivery (µs), with what else it did. */
export interface Run {
  readonly perSecond: number;
  readonly cpu: number;
  readonly connections: number;
}

/** What left while votes arrived. */
export interface RatedRun extends Run {
  readonly votesPerSecond: number;
}

/** Receivers that have a backlog while another one is measured. */
export interface Others {
  readonly count: number;
  /** Deliveries that wait for each of them. */
  readonly waiting: number;
  readonly url: string;
}

/** The service in a process of its own, and the receiver of its webhooks in this one. */
export class WebhookBench {
  readonly receiver: WebhookReceiver;
  readonly #service: Child;
  readonly #database: Database;
  readonly #listingIds: readonly string[];
  #firstVoter = Math.floor(Math.random() * 1e9);

  private constructor(service: Child, database: Database, receiver: WebhookReceiver, listingIds: readonly string[]) {
    this.#service = service;
    this.#database = database;
    this.receiver = receiver;
    this.#listingIds = listingIds;
  }

  /** @param address an empty database */
  static async start(address: string): Promise<WebhookBench> {
    const database = await openDatabase(address);
    const listingIds: string[] = [];
    await generate(database, {
      population,
      now: systemClock.now(),
      signal: new AbortController().signal,
      onListing: ({ id }) => listingIds.push(id),
      onProgress: () => {},
    });
    const service = await startChild(new URL('./service-process.ts', import.meta.url), [address]);
    return new WebhookBench(service, database, await startWebhookReceiver(), listingIds);
  }

  async stop(): Promise<void> {
    await this.#service.stop();
    await this.#database.destroy();
    this.receiver.stop();
  }

  /** @returns the ids of their deliveries, and the time that the votes took (ms) */
  async #vote(listingIds: readonly string[], count: number, concurrency = callers): Promise<VotesCast> {
    const run: VoteRun = { listingIds, count, concurrency, firstVoter: this.#firstVoter };
    this.#firstVoter += count;
    return this.#service.ask<VotesCast>('vote', run);
  }

  async #setWebhooks(listingIds: readonly string[], urlOf: (webhook: number) => string): Promise<void> {
    for (const [webhook, listingId] of listingIds.entries())
      await this.#service.ask('setWebhook', { listingId, url: urlOf(webhook) });
  }

  /** Votes for several listings, and what leaves meanwhile. @param receivers.dead how many of them do not answer */
  async measureMeanwhile(
    count: number,
    { receivers, answerMs, dead }: { readonly receivers: number; readonly answerMs: number; readonly dead: number },
  ): Promise<RatedRun> {
    const { receiver } = this;
    const ids = this.#listingIds.slice(0, receivers);
    await this.#setWebhooks(ids, (webhook) =>
      webhook >= receivers - dead ? receiver.deadUrl : receiver.url(answerMs, webhook),
    );
    const measure = await this.#startMeasuring();
    const { took, deliveryIds } = await this.#vote(ids, count);
    const run = await measure(took);
    if (dead === 0) await receiver.untilDelivered(deliveryIds);
    else await this.#giveUp(ids);
    return { ...run, votesPerSecond: (count * 1_000) / took };
  }

  /** Sends what waits for webhooks that were paused. */
  async drainBacklog(receivers: number, answerMs: number): Promise<Run> {
    const ids = this.#listingIds.slice(0, receivers);
    await this.#setWebhooks(ids, (webhook) => this.receiver.url(answerMs, webhook));
    for (const listingId of ids) await pauseForOwner(this.#database, { listingId, family: 'vote' }, systemClock.now());
    const { deliveryIds } = await this.#vote(ids, backlog);
    await this.#database.transaction().execute(async (sql) => {
      for (const listingId of ids) await resumeWebhook(sql, { listingId, family: 'vote' });
    });
    const measure = await this.#startMeasuring();
    const startedAt = performance.now();
    await this.#service.ask('nudge');
    return measure((await this.receiver.untilDelivered(deliveryIds)) - startedAt);
  }

  /** The time from a vote to its webhook, p50 and p99 (ms), one vote after the other. */
  async measureDelays(others?: Others): Promise<{ readonly p50: number; readonly p99: number }> {
    const alive = this.#listingIds.slice(0, 1);
    await this.#setWebhooks(alive, (webhook) => this.receiver.url(0, webhook));
    const ids = others === undefined ? [] : this.#listingIds.slice(-others.count);
    if (others !== undefined) {
      await this.#setWebhooks(ids, () => others.url);
      await this.#vote(ids, others.count * others.waiting);
      // Until as many requests are in flight as may be.
      await sleep(2_000);
    }
    const delays: number[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      const startedAt = performance.now();
      const { deliveryIds } = await this.#vote(alive, 1, 1);
      delays.push((await this.receiver.untilDelivered(deliveryIds)) - startedAt);
      await sleep(5);
    }
    await this.#giveUp(ids);
    return { p50: median(delays), p99: percentile(delays, 0.99) };
  }

  /** What waits is not sent by the next measurement. */
  async #giveUp(listingIds: readonly string[]): Promise<void> {
    if (listingIds.length === 0) return;
    await this.#database
      .updateTable('deliveries')
      .set({ state: 'failed' })
      .where('listing_id', 'in', listingIds)
      .where('state', '=', 'waiting')
      .execute();
  }

  /** Starts measuring what leaves the service. The time is that of the caller (ms). */
  async #startMeasuring(): Promise<(took: number) => Promise<Run>> {
    const { receiver } = this;
    const connections = receiver.connections();
    const received = receiver.received.size;
    const before = await this.#service.usage();
    return async (took) => {
      const sent = receiver.received.size - received;
      return {
        perSecond: (sent * 1_000) / took,
        cpu: ((await this.#service.usage()).cpu - before.cpu) / sent,
        connections: receiver.connections() - connections,
      };
    };
  }
}
