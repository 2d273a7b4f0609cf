import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';

export interface SessionTransaction {
  execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>>;
  commit(): Promise<void>;
  rollback(): void | Promise<void>;
}

/** How a database reads outside a transaction, and begins one. */
export interface SessionSource {
  /** Null for a statement that needs a transaction. */
  read<Row>(query: CompiledQuery): Promise<QueryResult<Row>> | null;
  begin(): Promise<SessionTransaction>;
}

/**
 * A kysely driver. A statement that is neither read nor part of a transaction has one of its own.
 * @param asStoreError the error for the caller, for one of the database
 */
export function createSessionDriver(source: SessionSource, asStoreError: (error: unknown) => unknown): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => new Session(source, asStoreError),
    beginTransaction: (session: Session) => session.begin(),
    commitTransaction: (session: Session) => session.commit(),
    rollbackTransaction: (session: Session) => session.rollback(),
    releaseConnection: (session: Session) => session.rollback(),
    destroy: async () => {},
  };
}

class Session implements DatabaseConnection {
  readonly #source: SessionSource;
  readonly #asStoreError: (error: unknown) => unknown;
  #transaction: SessionTransaction | null = null;

  constructor(source: SessionSource, asStoreError: (error: unknown) => unknown) {
    this.#source = source;
    this.#asStoreError = asStoreError;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction !== null) return this.#stored(this.#transaction.execute(query));
    const read = this.#source.read<Row>(query);
    if (read !== null) return this.#stored(read);
    await this.begin();
    try {
      const result = await this.executeQuery<Row>(query);
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streaming is not supported.');
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#stored(this.#source.begin());
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    if (transaction !== null) await this.#stored(transaction.commit());
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback();
    this.#transaction = null;
  }

  async #stored<Result>(result: Promise<Result>): Promise<Result> {
    try {
      return await result;
    } catch (error) {
      throw this.#asStoreError(error);
    }
  }
}
