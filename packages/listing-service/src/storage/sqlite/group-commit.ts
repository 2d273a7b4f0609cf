import { StoreUnavailableError } from '@tallyhook/platform/errors';
import type { SqliteDatabase } from 'kysely';

/** Transactions that are committed together at most. */
const maxMembers = 64;

/**
 * Runs transactions one after the other on one connection and commits those together that wait for each other, because
 * a commit waits for the disk. Each is a savepoint, so one that fails takes no other with it. A transaction that is
 * alone is committed at once. Between two groups the event loop has a turn: promises alone would never end while
 * transactions follow each other, and requests and timers would wait for all of them.
 * @returns what waits for the transactions before, then begins one, which has the connection to itself until it ends.
 * Rejects as `begin` of the options does
 */
export function createGroupCommit(
  connection: SqliteDatabase,
  options: {
    /**
     * Takes the write lock: `begin immediate`, repeated while another process has it.
     * @param queuedAt when the transaction began to wait (ms, monotonic)
     */
    readonly begin: (queuedAt: number) => Promise<void>;
    /** Throws if what was committed may be lost. */
    readonly afterCommit: () => void;
  },
) {
  /** Settles when the last transaction in the queue has passed the connection on. */
  let queue: Promise<void> = Promise.resolve();
  let queued = 0;
  /** The transactions of the open group that wait for its commit; null if no group is open. */
  let group: PromiseWithResolvers<void>[] | null = null;
  /** Settles with the turn of the event loop in which the last group was committed; null afterwards. */
  let turn: Promise<void> | null = null;

  const run = (text: string): void => void connection.prepare(text).run([]);

  async function acquireTurn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = queue;
    queue = promise;
    queued += 1;
    await previous;
    queued -= 1;
    return resolve;
  }

  function settle(ended: readonly PromiseWithResolvers<void>[], error?: unknown): void {
    group = null;
    for (const { resolve, reject } of ended) {
      if (error === undefined) resolve();
      else reject(error);
    }
  }

  /** Passes the connection on, and commits unless the next transaction will. */
  function pass(members: PromiseWithResolvers<void>[], endTurn: () => void): void {
    if (queued === 0 || members.length >= maxMembers) {
      try {
        run(members.length === 0 ? 'rollback' : 'commit');
        turn ??= new Promise((resolve) => {
          setImmediate(() => {
            turn = null;
            resolve();
          });
        });
        options.afterCommit();
        settle(members);
      } catch (error) {
        tryToRollBack();
        settle(members, error);
      }
    }
    endTurn();
  }

  function tryToRollBack(): void {
    try {
      run('rollback');
    } catch {
      // A full disk or a committed transaction: there is none any more.
    }
  }

  return async function begin() {
    const queuedAt = performance.now();
    const endTurn = await acquireTurn();
    let members = group;
    try {
      if (members === null) {
        if (turn !== null) await turn;
        await options.begin(queuedAt);
      }
      members ??= [];
      group = members;
      run('savepoint member');
    } catch (error) {
      if (members !== null) pass(members, endTurn);
      else endTurn();
      throw error;
    }
    const joined = members;
    return {
      /** Resolves when the transaction is committed, alone or with those that follow. */
      commit(): Promise<void> {
        const member = Promise.withResolvers<void>();
        try {
          run('release member');
          joined.push(member);
        } catch (error) {
          member.reject(error);
        }
        pass(joined, endTurn);
        return member.promise;
      },
      rollback(): void {
        try {
          run('rollback to member');
          run('release member');
        } catch (error) {
          // SQLite has rolled back everything, such as after a full disk.
          tryToRollBack();
          settle(joined, new StoreUnavailableError(error));
          endTurn();
          return;
        }
        pass(joined, endTurn);
      },
    };
  };
}
