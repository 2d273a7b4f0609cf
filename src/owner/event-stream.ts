import { once } from 'node:events';
import type { Clock } from '@tallyhook/platform/clock';
import { durationPattern, parseDuration } from '@tallyhook/platform/duration-text';
import { hour, second } from '@tallyhook/platform/durations';
import { HttpError } from '@tallyhook/platform/web/http-error';
import type { Request, Response } from 'express';
import type { CommunityId } from '../core/ledger/account.ts';
import type { EventStore } from '../features/events/feature.ts';

/** Each connection reads the database whenever something may have happened. */
const maxConnections = 50;
const maxConnectionsOfCommunity = 5;
/** How often a connection looks for events that nobody has reported to this process (ms). */
const pollMs = second;
/** Proxies close connections on which nothing is sent. */
const heartbeatMs = 15 * second;
const eventsAtOnce = 100;
/** Who reads the stream has events kept for it; repeated while it is read (ms). */
const renewalMs = hour;

interface StreamOptions {
  readonly events: Pick<EventStore, 'streamAfter' | 'streamIdAt'>;
  /** Has events stored for the stream from now on. */
  readonly keep: () => Promise<void>;
  /**
   * How long an event waits before it is sent (ms): transactions of several processes may commit in another order than that
   * of their events.
   */
  readonly settleMs: number;
  /** Calls the listener whenever there may be new events, until what is returned is called. */
  readonly listen: (listener: () => void) => () => void;
  readonly clock: Clock;
}

interface StreamReader {
  /** Whose events it reads; null for all. */
  readonly communityId: CommunityId | null;
  /** False ends the connection: its token is valid no longer. */
  readonly mayContinue: () => Promise<boolean>;
}

/**
 * The stream of events of the API, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html):
 * each has the id of its place, its type, and the JSON that an endpoint would get. A reader that returns with
 * `Last-Event-ID` misses nothing of the last hour.
 */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #stopping = new AbortController();
  /** How many connections each community has; null for those that read all. */
  readonly #readers = new Map<CommunityId | null, number>();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Ends all connections. */
  close(): void {
    this.#stopping.abort();
  }

  /** Answers a request for the stream until it is closed. @throws HttpError 400, 503 */
  async send(request: Request, response: Response, reader: StreamReader): Promise<void> {
    const { communityId } = reader;
    const ofCommunity = this.#readers.get(communityId) ?? 0;
    const isFull = communityId !== null && ofCommunity >= maxConnectionsOfCommunity;
    const all = [...this.#readers.values()].reduce((sum, readers) => sum + readers, 0);
    if (isFull || all >= maxConnections) throw new HttpError(503, 'Too many readers of the stream.', 5);
    this.#readers.set(communityId, ofCommunity + 1);
    try {
      await this.#sendUntilClosed(request, response, reader);
    } finally {
      const left = (this.#readers.get(communityId) ?? 1) - 1;
      if (left === 0) this.#readers.delete(communityId);
      else this.#readers.set(communityId, left);
    }
  }

  async #sendUntilClosed(
    request: Request,
    response: Response,
    { communityId, mayContinue }: StreamReader,
  ): Promise<void> {
    const { events, keep, settleMs, listen, clock } = this.#options;
    await keep();
    let afterId = await this.#startOf(request);
    let keptAt = clock.monotonic();
    let sentAt = clock.monotonic();
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    response.write(': connected\n\n');
    const closed = new AbortController();
    const close = () => closed.abort();
    response.once('close', close);
    // The server keeps half-open connections, on which a reader that has gone would be noticed half a minute later.
    request.socket.once('end', close);
    let pause = new AbortController();
    const stopListening = listen(() => pause.abort('woken'));
    const ends = AbortSignal.any([closed.signal, this.#stopping.signal]);
    try {
      while (!ends.aborted) {
        pause = new AbortController();
        if (!(await mayContinue())) break;
        const until = clock.now() - settleMs;
        const rows = await events.streamAfter(afterId, { communityId, limit: eventsAtOnce });
        const settled =
          settleMs === 0
            ? rows
            : rows.slice(
                0,
                firstIndex(rows, ({ at }) => at > until),
              );
        for (const { id, event } of settled) {
          afterId = id;
          sentAt = clock.monotonic();
          if (!response.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
            await once(response, 'drain', { signal: ends }).catch(() => {});
        }
        if (settled.length === eventsAtOnce) continue;
        if (clock.monotonic() - sentAt >= heartbeatMs) {
          sentAt = clock.monotonic();
          response.write(': still here\n\n');
        }
        if (clock.monotonic() - keptAt >= renewalMs) {
          keptAt = clock.monotonic();
          await keep();
        }
        await clock.sleep(pollMs, AbortSignal.any([ends, pause.signal]));
      }
    } finally {
      stopListening();
      request.socket.off('end', close);
    }
    response.end();
  }

  /** The id after which a reader continues: that of its last event, from `replay` ago, or now. @throws HttpError 400 */
  async #startOf(request: Request): Promise<number> {
    const { events, clock } = this.#options;
    const last = request.get('last-event-id') ?? request.query['lastEventId'];
    if (last !== undefined) {
      if (typeof last === 'string' && /^\d{1,15}$/.test(last)) return Number(last);
      throw new HttpError(400, 'Last-Event-ID must be the id of an event of the stream.');
    }
    const { replay } = request.query;
    if (replay === undefined) return events.streamIdAt(clock.now() + hour);
    if (typeof replay !== 'string' || !durationPattern.test(replay))
      throw new HttpError(400, 'replay must be a duration such as 1h.');
    return events.streamIdAt(clock.now() - parseDuration(replay));
  }
}

function firstIndex<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  const index = items.findIndex(matches);
  return index === -1 ? items.length : index;
}
