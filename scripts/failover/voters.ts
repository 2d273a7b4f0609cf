import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { vote, voterOf } from '../../bench/load/vote.ts';

/** Timeout of one attempt, and the pause before the next one (ms). */
const attemptTimeout = 5_000;
const retryPause = 500;
/** Attempts of a vote, as many as fit into a minute. */
const maxAttempts = 100;

export interface VoteRun {
  /** User ids of the members whose vote was acknowledged with 200, and when (ms). One vote for each. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** User ids of the members whose vote was never acknowledged. */
  readonly abandoned: readonly string[];
  /** Attempts that were answered with 503, and those that failed without an answer. */
  readonly rejected: number;
  readonly failed: number;
}

export interface VoteLoad {
  /** Addresses of the receivers, in turn. A retry goes to the next one, as from a load balancer. */
  readonly receivers: readonly string[];
  readonly votes: number;
  /** Votes per second, sent at a constant rate, however long the answers take. */
  readonly rate: number;
  readonly onProgress: (run: VoteRun) => void;
  readonly signal: AbortSignal;
}

/** Sends one vote of each member, and each again until it is acknowledged, as a listing service does. */
export async function sendVotes({ receivers, votes, rate, onProgress, signal }: VoteLoad): Promise<VoteRun> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const acknowledged = new Map<string, number>();
  const abandoned: string[] = [];
  const counts = { rejected: 0, failed: 0 };
  const run = (): VoteRun => ({ acknowledged, abandoned, ...counts });

  async function sendUntilAcknowledged(number: number): Promise<void> {
    const userId = voterOf(number);
    for (let attempt = 0; attempt < maxAttempts && !signal.aborted; attempt += 1) {
      const url = receivers[(number + attempt) % receivers.length] ?? '';
      const status = await post(agent, url, number);
      if (status === 200) {
        acknowledged.set(userId, performance.now());
        return;
      }
      if (status !== null && status !== 503) throw new Error(`A vote was answered with ${status}.`);
      if (status === null) counts.failed += 1;
      else counts.rejected += 1;
      await pause(retryPause);
    }
    abandoned.push(userId);
  }

  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  const progress = setInterval(() => onProgress(run()), 1_000);
  try {
    for (let number = 0; number < votes && !signal.aborted; number += 1) {
      const dueIn = startedAt + (number * 1_000) / rate - performance.now();
      if (dueIn > 0) await pause(dueIn);
      sending.push(sendUntilAcknowledged(number));
    }
    await Promise.all(sending);
  } finally {
    clearInterval(progress);
    agent.destroy();
  }
  return run();
}

/** The status of the answer; null if there was none. */
function post(agent: Agent, url: string, number: number): Promise<number | null> {
  const { body, signature } = vote(number);
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
    const outgoing = request(
      `${url}/webhooks/vote`,
      { method: 'POST', agent, headers, timeout: attemptTimeout },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? null));
        response.on('error', () => resolve(null));
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', () => resolve(null));
    outgoing.end(body);
  });
}
