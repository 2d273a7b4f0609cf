import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/**
 * The value if it comes within `ms`; undefined when it is late or fails. Nothing is cancelled: it may still come, unheard.
 * What is at hand already costs no timer, which matters where every answer passes.
 */
export async function within<Value>(ms: number, clock: Clock, coming: Promise<Value>): Promise<Value | undefined> {
  const end = clock.monotonic() + ms;
  const settled = coming.catch(() => undefined);
  const atHand = await Promise.race([settled.then((value) => ({ value })), turn()]);
  if (atHand !== undefined) return atHand.value;

  const enough = new AbortController();
  // Where a thousand members ask at once, that turn may have been a long one.
  const late = clock.sleep(Math.max(0, end - clock.monotonic()), enough.signal).then(() => undefined);
  try {
    return await Promise.race([settled, late]);
  } finally {
    enough.abort();
  }
}
