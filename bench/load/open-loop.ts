import type { LoadRun } from './closed-loop.ts';
import { type Connection, openConnection } from './connection.ts';
import type { RequestSet } from './request-set.ts';

/** Nobody ever wakes who waits for it. */
const nobody = new Int32Array(new SharedArrayBuffer(4));

/**
 * Sends the deck at an even rate (per second), whether or not the answers keep up. A request whose turn has come while every connection
 * is busy waits, and its latency counts from its turn: a server that stalls cannot hide it by holding up the sender.
 */
export async function runOpenLoop(port: number, deck: RequestSet, connections: number, rate: number): Promise<LoadRun> {
  const latencies = new Float64Array(deck.size);
  const idle: { send(index: number): void }[] = [];
  const open: Connection[] = [];
  let next = 0;
  let answered = 0;
  let accepted = 0;
  let began = 0;
  const done = Promise.withResolvers<void>();
  const turnOf = (index: number) => began + (index * 1_000) / rate;

  async function addLane(): Promise<void> {
    let index = 0;
    const connection = await openConnection(
      port,
      (isAccepted) => {
        latencies[index] = performance.now() - turnOf(index);
        answered += 1;
        if (isAccepted) accepted += 1;
        idle.push(lane);
        if (answered === deck.size) done.resolve();
      },
      (reason) => done.reject(new Error(`A connection broke: ${reason}.`)),
    );
    const lane = {
      send(turn: number) {
        index = turn;
        connection.send(deck.at(turn));
      },
    };
    idle.push(lane);
    open.push(connection);
  }

  /**
   * Looks at the clock every tenth of a millisecond: a timer is too coarse for thousands a second, and a loop that never sleeps would
   * take a whole processor from the server.
   */
  function tick(): void {
    const now = performance.now();
    while (next < deck.size && turnOf(next) <= now) {
      const lane = idle.shift();
      if (lane === undefined) break;
      lane.send(next);
      next += 1;
    }
    Atomics.wait(nobody, 0, 0, 0.1);
    if (next < deck.size) setImmediate(tick);
  }

  await Promise.all(Array.from({ length: connections }, addLane));
  began = performance.now();
  tick();
  try {
    await done.promise;
    return { latencies, took: performance.now() - began, accepted };
  } finally {
    next = deck.size;
    for (const connection of open) connection.close();
  }
}
