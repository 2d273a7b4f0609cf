import type { Kysely } from 'kysely';
import { recorderIn } from '../../tally/recorder.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { budgetLogIn } from './budget-log.ts';
import { commandRegistryWrites } from './command-registry.ts';
import { outboxWrites } from './outbox-writes.ts';
import { ownerActionsIn } from './owner-actions.ts';
import { revocationsIn } from './session-revocations.ts';
import { tallyIn } from './tally.ts';

/**
 * Everything that writes, by name, each for use inside a transaction of `connection`. What goes in and comes out is plain data, so that
 * whoever asks can be on another thread than whoever writes.
 */
export function writesOver(db: Kysely<Tables>, connection: Connection) {
  const tally = tallyIn(db, connection);
  return {
    ...recorderIn(tally),
    ...ownerActionsIn(db, connection, tally),
    ...outboxWrites(db, connection),
    ...budgetLogIn(db, connection),
    ...revocationsIn(db, connection),
    ...commandRegistryWrites(db, connection),

    /** Writes the time (ms since the epoch), only to find out whether it can. */
    async probe(at: number): Promise<void> {
      const upsert = db.insertInto('probes').values({ id: 1, at });
      await run(
        connection,
        upsert.onConflict((conflict) => conflict.column('id').doUpdateSet({ at })),
      );
    },
  };
}

type Writes = ReturnType<typeof writesOver>;

/** One write that is asked for. */
export interface Job {
  readonly name: keyof Writes;
  readonly args: readonly unknown[];
}

/**
 * Writes in a transaction; resolves once that is on disk, and rejects as {@link GroupCommit} says. It may be tried
 * again after a rollback.
 */
export type Write = <Name extends keyof Writes>(
  name: Name,
  ...args: Parameters<Writes[Name]>
) => Promise<Awaited<ReturnType<Writes[Name]>>>;
