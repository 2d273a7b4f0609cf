import type { Migration } from 'kysely/migration';
import type { Dialect } from '../dialect.ts';
import { first } from './001-first.ts';
import { owner } from './003-owner.ts';

/** Every migration, oldest first. They only go forward, and what has shipped is never changed. */
export function migrations(dialect: Dialect): Record<string, Migration> {
  return { '001-first': first(dialect), '003-owner': owner(dialect) };
}
