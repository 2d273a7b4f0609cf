/**
 * Programs that tests use if they are installed, such as PgBouncer. `.ci/run` installs all of them and sets
 * `TALLYHOOK_TEST_ALL`: then a missing one is a failure. `TALLYHOOK_TEST_WITHOUT=pgbouncer,redis` hides them.
 */
const isEverythingRequired = Boolean(process.env['TALLYHOOK_TEST_ALL']);
const hidden = (process.env['TALLYHOOK_TEST_WITHOUT'] ?? '').split(',');

/** Whether tests are skipped that need these programs. */
export function isSkipped(...installed: readonly boolean[]): boolean {
  return installed.includes(false) && !isEverythingRequired;
}

/** Whether tests behave as if the program was missing. */
export function isHidden(program: 'postgres' | 'pgbouncer' | 'redis'): boolean {
  return hidden.includes(program);
}
