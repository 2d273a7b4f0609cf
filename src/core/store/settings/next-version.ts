import { sql } from 'kysely';
import type { SettingsState } from '../../settings/stored-settings.ts';
import { run, type SqlAccess } from '../query-builder.ts';

/**
 * Increases the version of the settings. Locks its row until the commit, so that versions become visible in their order.
 */
export async function nextVersion({ db, connection }: SqlAccess): Promise<SettingsState> {
  const insert = db.insertInto('settings_state').values({ id: 1, version: 1, key_id: null });
  const next = { version: sql<number>`settings_state.version + 1` };
  const upsert = insert.onConflict((conflict) => conflict.column('id').doUpdateSet(next));
  const [state] = await run(connection, upsert.returning(['version', 'key_id']));
  if (state === undefined) throw new Error('The version of the settings could not be increased.');
  return { version: state.version, keyId: state.key_id };
}
