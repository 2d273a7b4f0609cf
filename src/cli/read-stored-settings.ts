import { existsSync } from 'node:fs';
import type { OpenedSetting } from '../../config/community-config.ts';
import type { StoredSettings } from '../../config/describe-listings.ts';
import { isSecretPath } from '../core/settings/listing-settings.ts';
import { openSnapshot } from '../core/store/snapshots/open-snapshot.ts';
import type { Snapshot } from '../core/store/snapshots/snapshot.ts';
import { sqlitePathOf } from '../platform/database/database-url.ts';
import { parseJson } from '../platform/json.ts';

/**
 * What `/setup` has stored, with placeholders for the secrets, so that no key is needed. Nothing if the database does not
 * exist, or is older than these settings. Only reads. Throws what the driver throws.
 */
export async function readStoredSettings(databaseUrl: string): Promise<StoredSettings> {
  const path = sqlitePathOf(databaseUrl);
  if (path !== null && !existsSync(path)) return new Map();
  const snapshot = await openSnapshot(databaseUrl);
  try {
    return (await snapshot.tables()).includes('setting_values') ? await readSettings(snapshot) : new Map();
  } finally {
    await snapshot.close();
  }
}

async function readSettings({ db, run }: Snapshot): Promise<StoredSettings> {
  const values = db.selectFrom('setting_values').select(['guild_id', 'listing', 'path', 'value']);
  const rows = await run(values.orderBy('guild_id').orderBy('listing').orderBy('path'));
  const settings = new Map<string, OpenedSetting[]>();
  for (const { guild_id: guildId, listing, path, value: stored } of rows) {
    const parsed = parseJson(stored);
    const value = isSecretPath(path) ? placeholders(path, Number(parsed)) : parsed;
    settings.set(guildId, [...(settings.get(guildId) ?? []), { listing, path, value }]);
  }
  return settings;
}

/** As valid as the secrets, of which only the number is stored without encryption. */
function placeholders(path: string, count: number): string | readonly string[] {
  const list = Array.from({ length: count }, (_, index) => `placeholder-of-secret-${index}`);
  return path === 'lookupKey' ? (list[0] ?? '') : list;
}
