import { type Connection, openConnection } from './connection.ts';
import type { RequestSet } from './request-set.ts';

/** The result of a run. Times in ms. */
export interface LoadRun {
  readonly latencies: Float64Array;
  /** From the first request to the last response. */
  readonly took: number;
  readonly accepted: number;
}

/** Closed loop: each connection sends its next request when the previous one is answered. */
export async function runClosedLoop(port: number, requests: RequestSet, connections: number): Promise<LoadRun> {
  const latencies = new Float64Array(requests.size);
  const open: Connection[] = [];
  let next = 0;
  let answered = 0;
  let accepted = 0;
  let startedAt = 0;
  const done = Promise.withResolvers<void>();

  function lane(): { start(): void; opened: Promise<void> } {
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
      (isAccepted) => {
        latencies[index] = performance.now() - sentAt;
        answered += 1;
        if (isAccepted) accepted += 1;
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

  const lanes = Array.from({ length: connections }, lane);
  await Promise.all(lanes.map(({ opened }) => opened));
  startedAt = performance.now();
  for (const { start } of lanes) start();
  try {
    await done.promise;
    return { latencies, took: performance.now() - startedAt, accepted };
  } finally {
    for (const connection of open) connection.close();
  }
}
