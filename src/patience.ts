import type { Clock } from './clock.ts';

/** The value if it comes within `ms`; undefined when it is late or fails. Nothing is cancelled: it may still come, unheard. */
export async function within<Value>(ms: number, clock: Clock, coming: Promise<Value>): Promise<Value | undefined> {
  const enough = new AbortController();
  const late = clock.sleep(ms, enough.signal).then(() => undefined);
  try {
    return await Promise.race([coming.catch(() => undefined), late]);
  } finally {
    enough.abort();
  }
}
