import type { Clock } from '@tallyhook/platform/clock';
import { sqlite } from '../core/store/dialect/sqlite.ts';
import { createStore, type OpenStoreOptions, type Store } from './create-store.ts';

/** {@link createStore} in a SQLite file. Apart from `openStore`: a bundler would take along the driver of PostgreSQL. */
export const openSqliteStore = (path: string, clock: Clock, options?: OpenStoreOptions): Promise<Store> =>
  createStore({ url: `sqlite:${path}`, open: async () => sqlite(path) }, clock, options);
