import type { Agent } from 'node:http';
import { findViolation } from './find-violation.ts';
import { createAgent, type FuzzRequest, type FuzzResponse, send } from './fuzz-request.ts';
import type { Target } from './target.ts';

/** A request whose response violates the contract. */
export interface Violation {
  readonly request: FuzzRequest;
  readonly message: string;
}

const concurrency = 8;

/**
 * Sends all requests, eight at a time, and stops at the first violation. A request without a response is a violation,
 * too. `accepted` counts the responses with status 200.
 */
export async function sendAll(
  target: Target,
  requests: Iterator<FuzzRequest>,
): Promise<{ violation: Violation | null; accepted: number; sent: number }> {
  const agent = createAgent(concurrency);
  let violation: Violation | null = null;
  let accepted = 0;
  let sent = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let next = requests.next(); !next.done && violation === null; next = requests.next()) {
        sent += 1;
        const request = next.value;
        const response = await trySend(target, request, agent);
        if (typeof response !== 'string' && response.status === 200) accepted += 1;
        const message = typeof response === 'string' ? response : findViolation(request, response);
        if (message !== null) violation ??= { request, message };
      }
    }),
  );
  agent.destroy();
  return { violation, accepted, sent };
}

/** Returns the error message if there is no response. */
async function trySend(target: Target, request: FuzzRequest, agent: Agent): Promise<FuzzResponse | string> {
  return send(target.url, request, agent).catch((error: unknown) => `no response: ${String(error)}`);
}
