import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import type { Resource } from './lookup.ts';
import { LookupError } from './lookup-error.ts';

/** Minimum time between two messages with the same code (ms). */
const logIntervalMs = minute;

export type ErrorReporter = ReturnType<typeof createErrorReporter>;

/** A rejected key affects all resources. */
type Scope = Resource | 'everything';

/**
 * Logs the errors of one lookup client. Each code is logged at most once a minute. A persistent error is logged once,
 * as an error, and again (as info) when it is resolved.
 */
export function createErrorReporter({ log, clock }: { log: Log; clock: Clock }) {
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
