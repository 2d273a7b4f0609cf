import type { Dialect } from '../dialect/dialect.ts';
import { compiler } from '../statement.ts';
import { type Job, writesOver } from '../writes/writes.ts';

/** What became of a batch. Of all but the first, nothing was kept, or only in a file that nobody will open again. */
export type BatchResult =
  | { readonly status: 'committed'; readonly results: readonly unknown[] }
  /** Somebody else is writing: waiting a little helps. */
  | { readonly status: 'busy'; readonly cause: Error }
  /** Nothing can be written: full, read-only, gone. */
  | { readonly status: 'unavailable'; readonly cause: Error }
  /** One of the jobs cannot be done. */
  | { readonly status: 'failed'; readonly cause: Error };

/** Does batches of jobs, each batch in one transaction and one at a time: the next is not given before the last has come back. */
export interface Writer {
  /** Never rejects. */
  commit(batch: readonly Job[]): Promise<BatchResult>;
}

/** Writes over a connection of this thread's own. */
export function createWriter(dialect: Dialect): Writer {
  const { writing } = dialect;
  const writes = writesOver(compiler(dialect), writing);

  async function transaction(batch: readonly Job[]): Promise<unknown[]> {
    await writing.begin();
    try {
      const results: unknown[] = [];
      for (const { name, args } of batch) {
        results.push(await (writes[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args));
      }
      await writing.commit();
      return results;
    } catch (error) {
      await writing.rollback().catch(() => {});
      throw error;
    }
  }

  return {
    async commit(batch) {
      const replaced = dialect.checkFiles();
      if (replaced !== null) return { status: 'unavailable', cause: replaced };
      try {
        const results = await transaction(batch);
        // Again, so that nothing is acknowledged that went into a file which was gone by then.
        const replacedMeanwhile = dialect.checkFiles();
        if (replacedMeanwhile !== null) return { status: 'unavailable', cause: replacedMeanwhile };
        return { status: 'committed', results };
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        return {
          status: dialect.isBusy(error) ? 'busy' : dialect.isUnavailable(error) ? 'unavailable' : 'failed',
          cause,
        };
      }
    },
  };
}
