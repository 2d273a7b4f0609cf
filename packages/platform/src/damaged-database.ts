/** CORRUPT and NOTADB of SQLite (sqlite.org/rescode.html). */
const damageCodes: readonly number[] = [11, 26];

/**
 * The way back from a SQLite file that is damaged, or that is no database; undefined for any other error. Imports nothing:
 * `verify` loads the errors that have this hint.
 * @param path of the file, as far as it is known
 * @param program whose commands are named
 */
export function damagedDatabaseHint(cause: unknown, path?: string, program = 'tallyhook'): string | undefined {
  if (!(cause instanceof Error && 'errcode' in cause) || !damageCodes.includes(Number(cause.errcode) & 0xff)) return;
  const file = path ?? 'the database file';
  return (
    `The file is damaged, or is not a database: permissions are not the cause. Stop ${program}, and keep a copy of ${file} ` +
    `together with the -wal and -shm beside it, which have the latest changes: a file that was copied without its -wal is ` +
    `incomplete. \`${program} doctor\` checks the file, and \`${program} restore BACKUP\` restores a backup after the ` +
    'damaged files are moved away (docs/operations.md, "Upgrades and backups").'
  );
}
