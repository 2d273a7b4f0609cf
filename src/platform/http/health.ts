import { Router } from 'express';
import { type Clock, systemClock } from '../clock.ts';
import { second } from '../durations.ts';
import { coalesce } from './coalesce.ts';
import { type ReadinessChecks, type ReadinessState, runReadinessChecks } from './readiness.ts';

/** How long a scrape is cached: it needs no credentials and costs more than most requests. */
const scrapeTtlMs = 1 * second;

const noRoles: ReadonlyMap<string, ReadinessChecks | null> = new Map();

export interface HealthOptions {
  /** For the whole process. */
  readonly checks: ReadinessChecks;
  /** For one role, by the role's name; null for a role that this process does not have (default: no roles). */
  readonly roles?: ReadonlyMap<string, ReadinessChecks | null>;
  /** Null without `GET /metrics`. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string } | null;
  readonly isStopping: () => boolean;
  /** It is ready, but other processes are connected to the gateway in its place. */
  readonly isStandby?: () => boolean;
  /** Whether `GET /readyz` gives the reasons why a component is not ready (default true). */
  readonly showReasons?: boolean;
  /** How old a scrape is (default: the system clock). */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/**
 * `GET /healthz` (the process is alive), `GET /readyz` (200 if every component is ready, else 503, with the state of
 * each; `?role=` limits the checks to one role, and is 503 for a role that this process does not have) and `GET /metrics`. They need no credentials, so expensive checks
 * should be coalesced.
 */
export function createHealth(options: HealthOptions): Router {
  const { checks, roles = noRoles, metrics, isStopping, isStandby = () => false } = options;
  const { showReasons = true, clock = systemClock } = options;
  const router = Router();
  const roleParameters = [...roles.keys()].map((role) => `?role=${role}`).join(' or ');
  const unknownRole = `Unknown role: use ${roleParameters}, or omit it to check the whole process.`;

  function checksFor(role: unknown): ReadinessChecks | null | undefined {
    if (role === undefined || roles.size === 0) return checks;
    return typeof role === 'string' ? roles.get(role) : undefined;
  }

  router.get('/healthz', (_request, response) => {
    response.json({ alive: true });
  });

  router.get('/readyz', async (request, response) => {
    const { role } = request.query;
    const checks = checksFor(role);
    if (checks === undefined) {
      // A misspelled role must not count as ready. A probe that expects 200 treats 400 as not ready.
      response.status(400).json({ success: false, error: unknownRole });
      return;
    }
    if (checks === null) {
      const reason = `This process does not have the role ${typeof role === 'string' ? role : ''} (TALLYHOOK_ROLES).`;
      response.status(503).json({ ready: false, reason, parts: {} });
      return;
    }
    const parts = await runReadinessChecks(checks);
    const stopping = isStopping();
    const ready = !stopping && Object.values(parts).every((part) => part.ready);
    const standby = isStandby() && { standby: true };
    const reason = stopping && { reason: 'The process is stopping.' };
    const shown = showReasons ? parts : withoutReasons(parts);
    response.status(ready ? 200 : 503).json({ ready, ...standby, ...reason, parts: shown });
  });

  if (metrics !== null) {
    const scrape = coalesce(metrics.text, scrapeTtlMs, clock);
    router.get('/metrics', async (_request, response) => {
      response.type(metrics.contentType).send(await scrape());
    });
  }

  return router;
}

function withoutReasons(parts: Readonly<Record<string, ReadinessState>>): Record<string, ReadinessState> {
  return Object.fromEntries(Object.entries(parts).map(([name, { ready }]) => [name, { ready }]));
}
