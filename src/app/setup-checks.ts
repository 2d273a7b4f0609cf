import type { KeyCheck, SetupChecks } from '../../commands/setup-checks.ts';
import type { BudgetStore } from '../lookup/budget.ts';
import { fetchProfileOfKey } from '../lookup/key-check.ts';
import { LookupError } from '../lookup/lookup-error.ts';
import type { Clock } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import { TallyhookError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';

const timeoutMs = 8 * second;

/** Asks the service which listing a key belongs to: one request, counted in the budget of that key. */
export function createKeyCheck(options: {
  readonly baseUrl: string;
  readonly budget: BudgetStore;
  readonly clock: Clock;
  readonly log: Log;
}): SetupChecks['checkKey'] {
  const { clock, log } = options;
  return async (kind, key): Promise<KeyCheck> => {
    try {
      const { name, id } = await fetchProfileOfKey({ ...options, kind, key, timeoutMs });
      return { status: 'valid', name, targetId: id };
    } catch (error) {
      if (error instanceof TallyhookError && error.code === 'lookup_key_malformed') return { status: 'malformed' };
      if (!(error instanceof LookupError)) throw error;
      if (error.code === 'lookup_key_refused') return { status: 'refused' };
      if (error.code === 'lookup_wrong_key_type') return { status: 'wrongKind' };
      log.warn({ code: error.code, reason: error.message, hint: error.hint }, 'an API key could not be checked');
      return { status: 'unreachable', retryAt: error.retryAt ?? clock.now() + minute };
    }
  };
}
