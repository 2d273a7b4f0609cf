import { second } from '../../platform/durations.ts';
import { StoreUnavailableError, TallyhookError } from '../../platform/errors.ts';
import { coalesce } from '../../platform/http/coalesce.ts';
import type { ReadinessCheck, ReadinessChecks } from '../../platform/http/readiness.ts';
import type { Database } from '../storage/database.ts';
import { probeDatabase } from '../storage/probe.ts';

/** How long the success of a write is reused (ms): the check needs no credentials. */
const probeTtlMs = 1 * second;

/** Something that works in the background; `failure` is why it failed the last time, or null. */
export interface BackgroundLoop {
  readonly failure: () => string | null;
}

/** What has to work before the service may get requests. */
export function serviceReadiness(
  database: Database,
  loops: { readonly webhooks: BackgroundLoop; readonly maintenance: BackgroundLoop; readonly limit: BackgroundLoop },
): ReadinessChecks {
  return {
    database: coalesce(() => probe(database), probeTtlMs),
    webhooks: checkLoop(loops.webhooks),
    maintenance: checkLoop(loops.maintenance),
    limit: checkLoop(loops.limit),
  };
}

async function probe(database: Database): Promise<void> {
  await probeDatabase(database).catch((error: unknown) => {
    // The messages of drivers contain host and user names.
    throw error instanceof TallyhookError ? error : new StoreUnavailableError(error);
  });
}

function checkLoop({ failure }: BackgroundLoop): ReadinessCheck {
  return async () => {
    const reason = failure();
    if (reason !== null) throw new Error(reason);
  };
}
