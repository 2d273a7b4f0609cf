/**
 * Packages that others do without: a faster inflate that nobody has installed, and drivers for Node without SQLite and for another runtime.
 * No bundle contains them.
 */
export const optional = ['zlib-sync', 'better-sqlite3', 'bun:sqlite'];
