import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { pageSecurityHeaders } from './guard.ts';
import type { PageEvent, TimedPageEvent } from './protocol.ts';

/** Interval of events that only keep the stream open and the page's clock right (ms): browsers close an idle stream. */
const keepAliveMs = 20 * second;

/** Sends events to every open page (Server-Sent Events), each with the current time. */
export class EventStream {
  readonly #open = new Set<ServerResponse>();
  readonly #now: () => number;

  /** @param options.now the time that the page shows (ms since the epoch) */
  constructor({ stopwatch, stopped, now }: { stopwatch: Clock; stopped: AbortSignal; now: () => number }) {
    this.#now = now;
    void this.#keepAlive(stopwatch, stopped);
  }

  /** Opens a stream and sends `first`. */
  add(response: ServerResponse, first: PageEvent): void {
    response.writeHead(200, { ...pageSecurityHeaders, 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${second}\n${this.#eventLine(first)}`);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  send(event: PageEvent): void {
    for (const response of this.#open) response.write(this.#eventLine(event));
  }

  async #keepAlive(clock: Clock, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await clock.sleep(keepAliveMs, stopped);
      this.send({ kind: 'time' });
    }
  }

  #eventLine(event: PageEvent): string {
    const timed: TimedPageEvent = { ...event, now: this.#now() };
    return `data: ${JSON.stringify(timed)}\n\n`;
  }
}
