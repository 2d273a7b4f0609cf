import { Router } from 'express';
import { messageOf } from './errors.ts';
import type { Metrics } from './metrics/metrics.ts';

/** A part that the whole needs to be of use. Resolves when it is ready; rejects with the reason. */
export type Part = () => Promise<void>;

/** Longer than any part takes that still works (ms). */
const patience = 4_000;

/** `GET /healthz` (the process is alive), `GET /readyz` (every part is ready; each is named) and `GET /metrics`. */
export function createHealth(parts: Readonly<Record<string, Part>>, metrics: Metrics): Router {
  const router = Router();

  router.get('/healthz', (_request, response) => {
    response.json({ alive: true });
  });

  router.get('/readyz', async (_request, response) => {
    const states = await Promise.all(
      Object.entries(parts).map(async ([name, part]) => [name, await stateOf(part)] as const),
    );
    const ready = states.every(([, state]) => state.ready);
    response.status(ready ? 200 : 503).json({ ready, parts: Object.fromEntries(states) });
  });

  router.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.text());
  });

  return router;
}

async function stateOf(part: Part): Promise<{ ready: boolean; reason?: string }> {
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patience / 1_000} s`)), patience);
  });
  try {
    await Promise.race([part(), tooSlow]);
    return { ready: true };
  } catch (error) {
    return { ready: false, reason: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
