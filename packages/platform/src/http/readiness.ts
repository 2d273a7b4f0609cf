import { systemClock } from '../clock.ts';
import { second } from '../durations.ts';
import { messageOf } from '../errors.ts';
import { withTimeout } from '../with-timeout.ts';

/** Longer than any working component takes. */
const checkTimeoutMs = 4 * second;

/**
 * Resolves if a component works, perhaps with a text that the operator should know; rejects with the reason otherwise.
 */
export type ReadinessCheck = () => Promise<unknown>;

/** Checks by the name of the component. */
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>;

/** The result of a check; `reason` is present if the component is not ready, `note` perhaps if it is. */
export interface ReadinessState {
  readonly ready: boolean;
  readonly reason?: string;
  readonly note?: string;
}

/** Runs all checks concurrently; a component that does not respond within 4 s is not ready. Never rejects. */
export async function runReadinessChecks(checks: ReadinessChecks): Promise<Record<string, ReadinessState>> {
  const states = Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const);
  return Object.fromEntries(await Promise.all(states));
}

async function stateOf(check: ReadinessCheck): Promise<ReadinessState> {
  try {
    const note = await withTimeout(checkTimeoutMs, systemClock, check());
    return { ready: true, ...(typeof note === 'string' && { note }) };
  } catch (error) {
    return { ready: false, reason: messageOf(error) };
  }
}
