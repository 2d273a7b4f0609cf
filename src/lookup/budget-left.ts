import { budgetWindow, requestLimit } from './budget.ts';
import { fingerprint } from './fingerprint.ts';

/** How many requests left under a key after a moment (ms since the epoch). */
export type RequestsSince = (keyId: string, since: number) => Promise<number>;

/** How many requests to the service a key has left at `now` (ms since the epoch). @param timeoutMs how long a request may take */
export async function budgetLeft(
  requestsSince: RequestsSince,
  { key, timeoutMs, now }: { key: string; timeoutMs: number; now: number },
): Promise<{ readonly left: number; readonly limit: number }> {
  const spent = await requestsSince(fingerprint(key), now - budgetWindow(timeoutMs));
  return { left: Math.max(0, requestLimit - spent), limit: requestLimit };
}
