import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import type { Keyv } from 'keyv';
import type { z } from 'zod';
import type { Budget } from './budget.ts';
import { type CacheEntry, createResponseStore, type Endpoint, ReadThrough, sharedRequestsIn } from './cache.ts';
import type { Http } from './http.ts';
import type { KeyStatus, ObserveLookup, Resource } from './lookup.ts';
import { LookupError } from './lookup-error.ts';

/** After a rejected key, no request is sent for this time (ms). */
const rejectedKeyPauseMs = minute;
/** After any other error, the same request is not sent for this time (ms). */
const errorPauseMs = 5 * second;
/** A longer description of a schema mismatch is truncated (characters). */
const maxMessageLength = 200;

/** A negative cache: recent errors of one key, in memory. */
function createFailureCache(clock: Clock) {
  const entries = new Map<string, { readonly until: number; readonly error: LookupError }>();
  const allRequests = '*';

  return {
    /** @throws LookupError the recent error of this request, or of the key */
    check(requestName: string): void {
      for (const scope of [allRequests, requestName]) {
        const entry = entries.get(scope);
        if (entry !== undefined && clock.monotonic() < entry.until) throw entry.error;
      }
    },
    add(requestName: string, error: LookupError): void {
      const now = clock.monotonic();
      for (const [scope, { until }] of entries) if (until <= now) entries.delete(scope);
      // The budget has its own pause for these.
      if (error.code === 'lookup_over_budget' || error.code === 'lookup_rate_limited') return;
      if (error.code === 'lookup_key_refused') entries.set(allRequests, { until: now + rejectedKeyPauseMs, error });
      else entries.set(requestName, { until: now + errorPauseMs, error });
    },
  };
}

function wrongShapeError(sender: string, resource: string, error: z.ZodError): LookupError {
  const issues = error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'data'}: ${message}`);
  const message = `The response of ${sender} for "${resource}" does not match the document (${issues.join('; ')}).`;
  return new LookupError('lookup_wrong_shape', message.slice(0, maxMessageLength));
}

/** Minimum time between two messages with the same code (ms). */
const logIntervalMs = minute;

/** A rejected key affects all resources. */
type Scope = Resource | 'everything';

/** Logs each code at most once a minute; a persistent error once, and again (as info) when it is resolved. */
function createErrorReporter({ log, clock }: { log: Log; clock: Clock }) {
  const logThrottled = createThrottledLog({ log, clock, intervalMs: logIntervalMs });
  /** Unresolved persistent errors. One whose message was throttled is logged at the next failure. */
  const unresolved = new Map<Scope, { readonly code: LookupErrorCode; readonly isLogged: boolean }>();

  function report(level: 'error' | 'warn', code: string, message: string, fields: object = {}): boolean {
    return logThrottled(level, code, message, { code, ...fields });
  }

  function reportPersistent(resource: Resource, { code, message, hint }: LookupError): void {
    const scope = code === 'lookup_key_refused' ? 'everything' : resource;
    const previous = unresolved.get(scope);
    if (previous?.code === code && previous.isLogged) return;
    unresolved.set(scope, { code, isLogged: report('error', code, message, { hint, resource }) });
  }

  function resolve(scope: Scope): void {
    const error = unresolved.get(scope);
    unresolved.delete(scope);
    if (error?.isLogged) log.info({ code: error.code, resource: scope }, 'lookups succeed again');
  }

  return {
    requestFailed(resource: Resource, error: unknown): void {
      if (!(error instanceof LookupError)) {
        report('error', 'lookup_broken', `The lookup client failed: ${messageOf(error)}`, { resource });
      } else if (error.isPersistent) {
        reportPersistent(resource, error);
      } else {
        report('warn', error.code, error.message, { hint: error.hint, resource });
      }
    },
    /** Resolves the persistent errors of the resource. */
    requestSucceeded(resource: Resource): void {
      resolve('everything');
      resolve(resource);
    },
    /** The lookup continues without the cache. */
    cacheFailed(error: unknown): void {
      report('warn', 'cache_failed', `The cache of the lookup client failed: ${messageOf(error)}`, {
        hint: 'Lookups continue, but send more requests. Check the URL of the cache, the disk and its permissions.',
      });
    },
    /** The lookup continues without the ledger. */
    ledgerFailed(error: unknown): void {
      report('warn', 'ledger_unread', `The ledger cannot be read for a lookup: ${messageOf(error)}`);
    },
    has: (code: LookupErrorCode): boolean => [...unresolved.values()].some((error) => error.code === code),
  };
}

interface SourceOptions<Request, Response> {
  readonly http: Http<Request, Response>;
  /** In messages; the service by default. */
  readonly sender?: string;
  readonly budget: Budget;
  readonly clock: Clock;
  /** Maximum duration of a request, from the time it is counted in the budget (ms). */
  readonly timeoutMs: number;
  readonly observe: ObserveLookup;
  readonly log: Log;
  readonly keyv: Keyv;
  /** The beginning of the keys in the cache, which several sources may share. */
  readonly keyPrefix: string;
}

/** The requests for one key, within its budget, and the caches of their responses. */
export function createSource<Request, Response>(options: SourceOptions<Request, Response>) {
  const { http, sender = 'the service', keyv, keyPrefix, budget, clock, observe, timeoutMs } = options;
  const errors = createErrorReporter(options);
  const failures = createFailureCache(clock);
  const store = createResponseStore({ keyv, clock, errors });
  const sharedRequests = sharedRequestsIn(keyv);

  /**
   * Sends a request. Errors are reported, and repeated for a while without a request.
   * Rejects with a LookupError, or with the reason of the signal.
   */
  async function sendRequest<Value>(
    { resource, request, parse }: Pick<Endpoint<Value, Request, Response>, 'resource' | 'request' | 'parse'>,
    id: string,
    signal?: AbortSignal,
  ): Promise<CacheEntry<Value>> {
    const requestName = `${resource}:${id}`;
    failures.check(requestName);
    signal?.throwIfAborted();
    try {
      // Taken before the request: anything that happens in the meantime is newer than the response.
      const asOf = clock.now();
      const deadline = clock.monotonic() + timeoutMs;
      await budget.acquire();
      observe({ event: 'asked', resource });
      const result = parse(await http.get(request(id), deadline, signal), clock.now(), id);
      if (!result.success) throw wrongShapeError(sender, resource, result.error);
      errors.requestSucceeded(resource);
      return { value: result.data, asOf };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof LookupError) {
        if (error.code === 'lookup_rate_limited' && error.retryAt !== null) budget.blockUntil(error.retryAt);
        failures.add(requestName, error);
        observe({ event: 'failed', resource, code: error.code });
      }
      errors.requestFailed(resource, error);
      throw error;
    }
  }

  return {
    errors,
    sendRequest,
    cacheOf: <Value>(endpoint: Endpoint<Value, Request, Response>) =>
      new ReadThrough<Value>({
        ...{ ...endpoint, store, sharedRequests, timeoutMs, clock, observe },
        keyOf: (id) => `${keyPrefix}:${endpoint.resource}:${id}`,
        fetch: (id, signal) => sendRequest(endpoint, id, signal),
      }),
    /** Sends no request and never rejects. */
    async keyStatus(): Promise<KeyStatus> {
      return {
        keyRefused: errors.has('lookup_key_refused'),
        wrongShape: errors.has('lookup_wrong_shape'),
        budgetLeft: await budget.remaining().catch(() => null),
      };
    },
  };
}
