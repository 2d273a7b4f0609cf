import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { pageSecurityHeaders } from './guard.ts';
import type { PageEvent } from './protocol.ts';

/** Interval of keep-alive comments (ms): proxies and browsers close an idle stream. */
const keepAliveMs = 20 * second;

/** Sends events to every open page (Server-Sent Events). */
export class EventStream {
  readonly #open = new Set<ServerResponse>();

  constructor(clock: Clock, stopped: AbortSignal) {
    void this.#keepAlive(clock, stopped);
  }

  /** Opens a stream and sends `first`. */
  add(response: ServerResponse, first: PageEvent): void {
    response.writeHead(200, { ...pageSecurityHeaders, 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${second}\n${toEventLine(first)}`);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  send(event: PageEvent): void {
    for (const response of this.#open) response.write(toEventLine(event));
  }

  async #keepAlive(clock: Clock, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await clock.sleep(keepAliveMs, stopped);
      for (const response of this.#open) response.write(': keep-alive\n\n');
    }
  }
}

function toEventLine(event: PageEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
