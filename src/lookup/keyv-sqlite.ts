/*
 * In the package, the build replaces this file and `keyv-redis.ts` with bundles: the adapters are pre-releases, and one
 * depends on a native driver that is never loaded (see scripts/bundle-adapters.ts).
 */
export { KeyvSqlite } from '@keyv/sqlite';
