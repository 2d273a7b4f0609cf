import {
  type LimitNode,
  type SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  ValueNode,
} from 'kysely';
import { isBusy, resultCode } from '../sqlite.ts';
import type { SqlDialect } from './dialect.ts';

/** For drivers of our own, which serialize transactions themselves. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Omits `for update`: SQLite has no row locks, because it locks the whole file. */
class CompilerWithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectQuery({ endModifiers: _, ...node }: SelectQueryNode): void {
    super.visitSelectQuery(node);
  }
}

/** Writes limits that are numbers into the text. */
class CompilerWithLiteralLimits extends CompilerWithoutRowLocks {
  protected override visitLimit({ limit, ...node }: LimitNode): void {
    const isNumber = ValueNode.is(limit) && Number.isSafeInteger(limit.value);
    super.visitLimit({ ...node, limit: isNumber ? ValueNode.createImmediate(limit.value) : limit });
  }
}

function compileWith(createQueryCompiler: () => SqliteQueryCompiler): SqlDialect['kysely'] {
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler,
  };
}

/**
 * SQLite's primary result codes (sqlite.org/rescode.html): PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB.
 */
const unavailableCodes: readonly number[] = [3, 8, 10, 11, 13, 14, 26];

/**
 * For statements whose limits are always the same: SQLite prepares one with a bound limit again for each run, because its
 * plan depends on the limit.
 */
export const literalLimits = compileWith(() => new CompilerWithLiteralLimits());

export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  selectColumn: (table, column) => sql`select name from pragma_table_info(${table}) where name = ${column}`,
  // Pages are merged when rows are deleted, not when rows become shorter.
  reusesShortenedRows: false,
  kysely: compileWith(() => new CompilerWithoutRowLocks()),
  isBusy,
  isUnavailable: (error) => unavailableCodes.includes(resultCode(error)),
};
