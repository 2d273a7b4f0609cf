import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../clock.ts';
import { second } from '../durations.ts';
import type { Log } from '../log.ts';
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
  /** True if the process is ready, but others are connected to the gateway in its place. */
  readonly isStandby?: () => boolean;
  /** True if `GET /readyz` gives the reasons why a component is not ready (default true). */
  readonly showReasons?: boolean;
  /** How old a scrape is (default: the system clock). */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/**
 * `GET /healthz` (the process is alive), `GET /readyz` (200 if every component is ready, else 503, with the state of
 * each; `?role=` limits the checks to one role, and is 503 for a role that this process does not have) and `GET /metrics`. They need no credentials, so expensive checks
 * should be coalesced. Without Express, which the receiver alone does not load.
 */
export function createHealth(options: HealthOptions): HealthHandler {
  const { checks, roles = noRoles, metrics, isStopping, isStandby = () => false } = options;
  const { showReasons = true, clock = systemClock } = options;
  const roleParameters = [...roles.keys()].map((role) => `?role=${role}`).join(' or ');
  const unknownRole = `Unknown role: use ${roleParameters}, or omit it to check the whole process.`;

  function checksFor(asked: readonly string[]): ReadinessChecks | null | undefined {
    const [role, ...others] = asked;
    if (role === undefined || roles.size === 0) return checks;
    return others.length === 0 ? roles.get(role) : undefined;
  }

  async function sendReadiness(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const asked = query.getAll('role');
    const checks = checksFor(asked);
    // A misspelled role must not count as ready. A probe that expects 200 treats 400 as not ready.
    if (checks === undefined) return sendJson(response, 400, { success: false, error: unknownRole });
    if (checks === null) {
      const reason = `This process does not have the role ${asked[0] ?? ''} (TALLYHOOK_ROLES).`;
      return sendJson(response, 503, { ready: false, reason, parts: {} });
    }
    const parts = await runReadinessChecks(checks);
    const stopping = isStopping();
    const ready = !stopping && Object.values(parts).every((part) => part.ready);
    const standby = isStandby() && { standby: true };
    const reason = stopping && { reason: 'The process is stopping.' };
    const shown = showReasons ? parts : withoutReasons(parts);
    sendJson(response, ready ? 200 : 503, { ready, ...standby, ...reason, parts: shown });
  }

  const scrape = metrics === null ? null : coalesce(metrics.text, scrapeTtlMs, clock);

  return async (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (isRead && path === '/healthz') sendJson(response, 200, { alive: true });
    else if (isRead && path === '/readyz') await sendReadiness(new URLSearchParams(query), response);
    else if (isRead && path === '/metrics' && scrape !== null)
      send(response, 200, metrics?.contentType, await scrape());
    else next();
  };
}

/** For Express, or alone: see {@link healthListener}. It may reject. */
export type HealthHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => Promise<void>;

/** Answers with 404 what is not about health, and with 503 what fails. */
export function healthListener(health: HealthHandler, log: Log): RequestListener {
  const error404 = { success: false, error: 'Not found.' };
  const error503 = { success: false, error: 'Internal error; the details are in the log.' };
  return (request, response) => {
    health(request, response, () => sendJson(response, 404, error404)).catch((error: unknown) => {
      log.error({ err: error }, 'a request failed');
      response.setHeader('Retry-After', '30');
      sendJson(response, 503, error503);
    });
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type = 'text/plain', text = ''): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}

function withoutReasons(parts: Readonly<Record<string, ReadinessState>>): Record<string, ReadinessState> {
  return Object.fromEntries(Object.entries(parts).map(([name, { ready }]) => [name, { ready }]));
}
