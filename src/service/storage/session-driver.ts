import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';

/** A transaction that has begun. */
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

/** A kysely driver. A statement that is neither read nor part of a transaction has one of its own. */
export function createSessionDriver(source: SessionSource): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => new Session(source),
    beginTransaction: (session: Session) => session.begin(),
    commitTransaction: (session: Session) => session.commit(),
    rollbackTransaction: (session: Session) => session.rollback(),
    releaseConnection: (session: Session) => session.rollback(),
    destroy: async () => {},
  };
}

class Session implements DatabaseConnection {
  readonly #source: SessionSource;
  #transaction: SessionTransaction | null = null;

  constructor(source: SessionSource) {
    this.#source = source;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction !== null) return this.#transaction.execute(query);
    const read = this.#source.read<Row>(query);
    if (read !== null) return read;
    const transaction = await this.#source.begin();
    this.#transaction = transaction;
    try {
      const result = await transaction.execute<Row>(query);
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
    this.#transaction = await this.#source.begin();
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    await transaction?.commit();
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback();
    this.#transaction = null;
  }
}
