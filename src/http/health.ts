import { Router } from 'express';
import { messageOf } from '../platform/errors.ts';
import { coalesce } from './coalesce.ts';
import type { Metrics } from './metrics/metrics.ts';

/** A part that the whole needs to be of use. Resolves when it is ready; rejects with the reason. */
export type ReadinessCheck = () => Promise<void>;

/** Longer than any part takes that still works (ms). */
const patience = 4_000;

/** Parts by name. */
export type Parts = Readonly<Record<string, ReadinessCheck>>;

export interface HealthOptions {
  /** What the whole process needs. */
  readonly parts: Parts;
  /** What one of its roles needs, by the name of the role. */
  readonly roles: ReadonlyMap<string, Parts>;
  readonly metrics: Metrics;
  readonly isStopping: () => boolean;
}

/** How long a scrape is served again (ms): anybody may request one, and a scrape costs more than most requests. */
const scrapeTtl = 1_000;

/**
 * `GET /healthz` (the process is alive), `GET /readyz` (200 when every part is ready, else 503; each is named; `?role=` checks the
 * parts of one role) and `GET /metrics`. None needs credentials, so a part that costs something should be coalesced.
 */
export function createHealth({ parts, roles, metrics, isStopping }: HealthOptions): Router {
  const router = Router();
  const scrape = coalesce(metrics.text, scrapeTtl);
  const known = [...roles.keys()].map((role) => `?role=${role}`).join(' or ');
  const unknownRole = `Unknown role: use ${known}, or leave it out to check the whole process.`;

  function partsFor(role: unknown): Parts | undefined {
    if (role === undefined) return parts;
    return typeof role === 'string' ? roles.get(role) : undefined;
  }

  router.get('/healthz', (_request, response) => {
    response.json({ alive: true });
  });

  router.get('/readyz', async (request, response) => {
    const checked = partsFor(request.query['role']);
    if (checked === undefined) {
      // A mistyped role must not pass for a ready one, and a probe that expects 200 takes 400 as not ready.
      response.status(400).json({ success: false, error: unknownRole });
      return;
    }
    const states = await runReadinessChecks(checked);
    const stopping = isStopping();
    const ready = !stopping && Object.values(states).every((state) => state.ready);
    response
      .status(ready ? 200 : 503)
      .json({ ready, ...(stopping && { reason: 'The process is stopping.' }), parts: states });
  });

  router.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await scrape());
  });

  return router;
}

/** Whether a part is ready, and if not, why. */
export interface ReadinessState {
  readonly ready: boolean;
  readonly reason?: string;
}

/** Asks every part at once; one that is silent for 4 s is not ready. Never rejects. */
export async function runReadinessChecks(parts: Parts): Promise<Record<string, ReadinessState>> {
  const states = Object.entries(parts).map(async ([name, part]) => [name, await stateOf(part)] as const);
  return Object.fromEntries(await Promise.all(states));
}

async function stateOf(part: ReadinessCheck): Promise<ReadinessState> {
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
