/**
 * Optional packages of dependencies: a faster inflate, and SQLite drivers for other runtimes.
 * Bundles leave them out.
 */
export const optional = ['zlib-sync', 'better-sqlite3', 'bun:sqlite'];
