import { codeOf } from '../../../platform/database/postgres-connection.ts';
import { postgresDialect } from '../../../platform/database/postgres-dialect.ts';
import type { TransactionTimeouts } from '../../../platform/database/postgres-transactions.ts';
import { second } from '../../../platform/durations.ts';
import { StoreUnavailableError } from '../../../platform/errors.ts';

/** A request waits for locks as long as with SQLite. */
export const timeouts = { statementMs: 5 * second, lockMs: 3 * second } as const satisfies TransactionTimeouts;

const uniqueViolation = '23505';

/** The error for the caller: a StoreUnavailableError if the same statement may succeed later. */
export function asStoreError(error: unknown): unknown {
  const mayPass = postgresDialect.isUnavailable(error) || postgresDialect.isBusy(error);
  return mayPass && codeOf(error) !== uniqueViolation ? new StoreUnavailableError(error) : error;
}
