import { Router } from 'express';
import { messageOf } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { coalesce } from './coalesce.ts';

/** A part that the whole needs to be of use. Resolves when it is ready; rejects with the reason. */
export type Part = () => Promise<void>;

/** Longer than any part takes that still works (ms). */
const patience = 4_000;

/** How long a scrape is served again (ms): anybody may request one, and a scrape costs more than most requests. */
const scrapeTtl = 1_000;

/**
 * `GET /healthz` (the process is alive), `GET /readyz` (200 when every part is ready, else 503; each is named) and
 * `GET /metrics`.
 */
export function createHealth(parts: Readonly<Record<string, Part>>, metrics: Metrics): Router {
  const router = Router();
  const scrape = coalesce(metrics.text, scrapeTtl);

  router.get('/healthz', (_request, response) => {
    response.json({ alive: true });
  });

  router.get('/readyz', async (_request, response) => {
    const states = await askParts(parts);
    const ready = Object.values(states).every((state) => state.ready);
    response.status(ready ? 200 : 503).json({ ready, parts: states });
  });

  router.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await scrape());
  });

  return router;
}

/** Whether a part is ready, and if not, why. */
export interface PartState {
  readonly ready: boolean;
  readonly reason?: string;
}

/** Asks every part at once; one that is silent for 4 s is not ready. Never rejects. */
export async function askParts(parts: Readonly<Record<string, Part>>): Promise<Record<string, PartState>> {
  const states = Object.entries(parts).map(async ([name, part]) => [name, await stateOf(part)] as const);
  return Object.fromEntries(await Promise.all(states));
}

async function stateOf(part: Part): Promise<PartState> {
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
