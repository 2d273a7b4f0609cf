import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { safetyHeaders } from './guard.ts';
import type { PageEvent } from './protocol.ts';

/** A proxy or a browser gives up on a stream that says nothing for long. */
const pause = 20 * second;

/** Everything that the page is told, sent to all who have it open (Server-Sent Events). */
export class Stream {
  readonly #open = new Set<ServerResponse>();

  constructor(clock: Clock, stopped: AbortSignal) {
    void this.#keepAlive(clock, stopped);
  }

  /** Opens a stream that begins with `first`. */
  add(response: ServerResponse, first: PageEvent): void {
    response.writeHead(200, { ...safetyHeaders, 'Content-Type': 'text/event-stream' });
    response.write(`retry: ${second}\n${lineOf(first)}`);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  get watched(): boolean {
    return this.#open.size > 0;
  }

  tell(news: PageEvent): void {
    for (const response of this.#open) response.write(lineOf(news));
  }

  async #keepAlive(clock: Clock, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await clock.sleep(pause, stopped);
      for (const response of this.#open) response.write(': still here\n\n');
    }
  }
}

function lineOf(news: PageEvent): string {
  return `data: ${JSON.stringify(news)}\n\n`;
}
