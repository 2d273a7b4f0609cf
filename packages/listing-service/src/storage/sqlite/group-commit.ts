import { StoreUnavailableError } from '@tallyhook/platform/errors';
import type { SqliteDatabase } from 'kysely';

/** Transactions that are committed together at most. */
const maxMembers = 64;

interface GroupCommitOptions {
  /**
   * Takes the write lock: `begin immediate`, repeated while another process has it.
   * @param queuedAt when the transaction began to wait (ms, monotonic)
   */
  readonly begin: (queuedAt: number) => Promise<void>;
  /** Throws if what was committed may be lost. */
  readonly afterCommit: () => void;
}

/**
 * Runs transactions one after the other on one connection and commits those together that wait for each other, because
 * a commit waits for the disk. Each is a savepoint, so one that fails takes no other with it. A transaction that is
 * alone is committed at once. Between two groups the event loop has a turn: promises alone would never end while
 * transactions follow each other, and requests and timers would wait for all of them.
 */
export class GroupCommit {
  readonly #connection: SqliteDatabase;
  readonly #options: GroupCommitOptions;
  /** Settles when the last transaction in the queue has passed the connection on. */
  #queue: Promise<void> = Promise.resolve();
  #queued = 0;
  /** The transactions of the open group that wait for its commit; null if no group is open. */
  #group: PromiseWithResolvers<void>[] | null = null;
  /** Settles with the turn of the event loop in which the last group was committed; null afterwards. */
  #turn: Promise<void> | null = null;

  constructor(connection: SqliteDatabase, options: GroupCommitOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /**
   * Waits for the transactions before, then begins one, which has the connection to itself until it ends. Rejects as
   * `begin` of the options does.
   */
  async begin() {
    const queuedAt = performance.now();
    const endTurn = await this.#acquireTurn();
    let members = this.#group;
    try {
      if (members === null) {
        if (this.#turn !== null) await this.#turn;
        await this.#options.begin(queuedAt);
      }
      members ??= [];
      this.#group = members;
      this.#run('savepoint member');
    } catch (error) {
      if (members !== null) this.#pass(members, endTurn);
      else endTurn();
      throw error;
    }
    const joined = members;
    return {
      /** Resolves when the transaction is committed, alone or with those that follow. */
      commit: (): Promise<void> => {
        const member = Promise.withResolvers<void>();
        try {
          this.#run('release member');
          joined.push(member);
        } catch (error) {
          member.reject(error);
        }
        this.#pass(joined, endTurn);
        return member.promise;
      },
      rollback: (): void => {
        try {
          this.#run('rollback to member');
          this.#run('release member');
        } catch (error) {
          // SQLite has rolled back everything, such as after a full disk.
          this.#tryToRollBack();
          this.#settle(joined, new StoreUnavailableError(error));
          endTurn();
          return;
        }
        this.#pass(joined, endTurn);
      },
    };
  }

  async #acquireTurn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = this.#queue;
    this.#queue = promise;
    this.#queued += 1;
    await previous;
    this.#queued -= 1;
    return resolve;
  }

  /** Passes the connection on, and commits unless the next transaction will. */
  #pass(members: PromiseWithResolvers<void>[], endTurn: () => void): void {
    if (this.#queued === 0 || members.length >= maxMembers) {
      try {
        this.#run(members.length === 0 ? 'rollback' : 'commit');
        this.#turn ??= new Promise((resolve) => {
          setImmediate(() => {
            this.#turn = null;
            resolve();
          });
        });
        this.#options.afterCommit();
        this.#settle(members);
      } catch (error) {
        this.#tryToRollBack();
        this.#settle(members, error);
      }
    }
    endTurn();
  }

  #settle(ended: readonly PromiseWithResolvers<void>[], error?: unknown): void {
    this.#group = null;
    for (const { resolve, reject } of ended) {
      if (error === undefined) resolve();
      else reject(error);
    }
  }

  #tryToRollBack(): void {
    try {
      this.#run('rollback');
    } catch {
      // A full disk or a committed transaction: there is none any more.
    }
  }

  #run(text: string): void {
    this.#connection.prepare(text).run([]);
  }
}
