import type { LoadRun } from './closed-loop.ts';
import { type Connection, openConnection } from './connection.ts';
import type { RequestSet } from './request-set.ts';

/** Never notified: `Atomics.wait` on it is a sleep. */
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/**
 * Open loop: sends requests at a constant rate (per second), whether or not the responses keep up. A request that is due while every connection
 * is busy waits, and its latency counts from its due time, so a stalled server cannot hide it (coordinated omission).
 */
export async function runOpenLoop(
  port: number,
  requests: RequestSet,
  connections: number,
  rate: number,
): Promise<LoadRun> {
  const latencies = new Float64Array(requests.size);
  const idle: { send(index: number): void }[] = [];
  const open: Connection[] = [];
  let next = 0;
  let answered = 0;
  let accepted = 0;
  let startedAt = 0;
  const done = Promise.withResolvers<void>();
  const turnOf = (index: number) => startedAt + (index * 1_000) / rate;

  async function addLane(): Promise<void> {
    let index = 0;
    const connection = await openConnection(
      port,
      (isAccepted) => {
        latencies[index] = performance.now() - turnOf(index);
        answered += 1;
        if (isAccepted) accepted += 1;
        idle.push(lane);
        if (answered === requests.size) done.resolve();
      },
      (reason) => done.reject(new Error(`A connection broke: ${reason}.`)),
    );
    const lane = {
      send(turn: number) {
        index = turn;
        connection.send(requests.at(turn));
      },
    };
    idle.push(lane);
    open.push(connection);
  }

  /**
   * Polls the clock every 0.1 ms: a timer is too coarse for thousands of requests a second, and a busy loop would
   * use a whole CPU.
   */
  function tick(): void {
    const now = performance.now();
    while (next < requests.size && turnOf(next) <= now) {
      const lane = idle.shift();
      if (lane === undefined) break;
      lane.send(next);
      next += 1;
    }
    Atomics.wait(neverNotified, 0, 0, 0.1);
    if (next < requests.size) setImmediate(tick);
  }

  await Promise.all(Array.from({ length: connections }, addLane));
  startedAt = performance.now();
  tick();
  try {
    await done.promise;
    return { latencies, took: performance.now() - startedAt, accepted };
  } finally {
    next = requests.size;
    for (const connection of open) connection.close();
  }
}
