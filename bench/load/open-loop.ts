import type { LoadRun, Rejection } from './closed-loop.ts';
import { type Connection, isAccepted, openConnection } from './connection.ts';
import type { RequestSet } from './request-set.ts';

/** Never notified: `Atomics.wait` on it is a sleep. */
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/**
 * Open loop: sends requests at a constant rate (per second), whether or not the responses keep up. A request that is due while every connection
 * is busy waits, and its latency counts from its due time, so a stalled server cannot hide it (coordinated omission).
 */
export async function runOpenLoop(
  port: number | readonly number[],
  requests: RequestSet,
  connections: number,
  rate: number,
): Promise<LoadRun> {
  const ports = [port].flat();
  const rejections: Rejection[] = [];
  const latencies = new Float64Array(requests.size);
  const idle: { send(index: number): void }[] = [];
  const open: Connection[] = [];
  let next = 0;
  let answered = 0;
  let startedAt = 0;
  const done = Promise.withResolvers<void>();
  const turnOf = (index: number) => startedAt + (index * 1_000) / rate;

  async function addLane(port: number): Promise<void> {
    let index = 0;
    const connection = await openConnection(
      port,
      (status) => {
        latencies[index] = performance.now() - turnOf(index);
        answered += 1;
        if (!isAccepted(status)) rejections.push({ index, status });
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

  await Promise.all(Array.from({ length: connections }, (_, number) => addLane(ports[number % ports.length] ?? 0)));
  startedAt = performance.now();
  tick();
  try {
    await done.promise;
    const took = performance.now() - startedAt;
    return { latencies, took, accepted: requests.size - rejections.length, rejections };
  } finally {
    next = requests.size;
    for (const connection of open) connection.close();
  }
}
