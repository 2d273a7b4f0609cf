import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { securityHeaders } from './guard.ts';
import type { PageEvent } from './protocol.ts';

/** A proxy or a browser gives up on a stream that says nothing for long. */
const keepAliveMs = 20 * second;

/** Everything that the page is told, sent to all who have it open (Server-Sent Events). */
export class EventStream {
  readonly #open = new Set<ServerResponse>();

  constructor(clock: Clock, stopped: AbortSignal) {
    void this.#keepAlive(clock, stopped);
  }

  /** Opens a stream that begins with `first`. */
  add(response: ServerResponse, first: PageEvent): void {
    response.writeHead(200, { ...securityHeaders, 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${second}\n${toEventLine(first)}`);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  get watched(): boolean {
    return this.#open.size > 0;
  }

  tell(event: PageEvent): void {
    for (const response of this.#open) response.write(toEventLine(event));
  }

  async #keepAlive(clock: Clock, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await clock.sleep(keepAliveMs, stopped);
      for (const response of this.#open) response.write(': still here\n\n');
    }
  }
}

function toEventLine(event: PageEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
