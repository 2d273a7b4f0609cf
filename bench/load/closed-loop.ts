import { type Connection, isAccepted, openConnection } from './connection.ts';
import type { RequestSet } from './request-set.ts';

/** The result of a run. Times in ms. */
export interface LoadRun {
  readonly latencies: Float64Array;
  /** From the first request to the last response. */
  readonly took: number;
  readonly accepted: number;
  readonly rejections: readonly Rejection[];
}

/** A request that was not answered with 2xx. */
export interface Rejection {
  /** In the request set. */
  readonly index: number;
  readonly status: number;
}

/**
 * Closed loop: each connection sends its next request when the previous one is answered. With several ports, the
 * connections are divided among them.
 */
export async function runClosedLoop(
  port: number | readonly number[],
  requests: RequestSet,
  connections: number,
): Promise<LoadRun> {
  const ports = [port].flat();
  const rejections: Rejection[] = [];
  const latencies = new Float64Array(requests.size);
  const open: Connection[] = [];
  let next = 0;
  let answered = 0;
  let startedAt = 0;
  const done = Promise.withResolvers<void>();

  function lane(port: number): { start(): void; opened: Promise<void> } {
    let sentAt = 0;
    let index = 0;
    let connection: Connection | undefined;
    function send(): void {
      if (next >= requests.size) return;
      index = next;
      next += 1;
      sentAt = performance.now();
      connection?.send(requests.at(index));
    }
    const opened = openConnection(
      port,
      (status) => {
        latencies[index] = performance.now() - sentAt;
        answered += 1;
        if (!isAccepted(status)) rejections.push({ index, status });
        if (answered === requests.size) done.resolve();
        else send();
      },
      (reason) => done.reject(new Error(`A connection broke: ${reason}.`)),
    ).then((made) => {
      connection = made;
      open.push(made);
    });
    return { start: send, opened };
  }

  const lanes = Array.from({ length: connections }, (_, number) => lane(ports[number % ports.length] ?? 0));
  await Promise.all(lanes.map(({ opened }) => opened));
  startedAt = performance.now();
  for (const { start } of lanes) start();
  try {
    await done.promise;
    const took = performance.now() - startedAt;
    return { latencies, took, accepted: requests.size - rejections.length, rejections };
  } finally {
    for (const connection of open) connection.close();
  }
}
