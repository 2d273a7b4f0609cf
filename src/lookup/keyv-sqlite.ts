/*
 * The build replaces this file and `keyv-redis.ts` in the package by bundles, so that installing the package brings along neither the
 * pre-release of an adapter nor the native driver that it depends on and never loads (see scripts/bundle-adapters.ts).
 */
export { KeyvSqlite } from '@keyv/sqlite';
