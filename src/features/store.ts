import type { Clock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { createStore, type OpenStoreOptions, type Store } from './create-store.ts';

export type { OpenStoreOptions, Store } from './create-store.ts';

/**
 * {@link createStore} in the database of a URL. Each driver is loaded only if it is used.
 * @param url `sqlite:` followed by a path, or `postgres://…`
 */
export function openStore(url: string, clock: Clock, options?: OpenStoreOptions): Promise<Store> {
  const path = sqlitePathOf(url);
  const open = async () =>
    path === null
      ? (await import('../core/store/dialect/postgres.ts')).postgres(url)
      : (await import('../core/store/dialect/sqlite.ts')).sqlite(path);
  return createStore({ url, open }, clock, options);
}
