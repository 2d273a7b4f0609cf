import { existsSync } from 'node:fs';
import type { OpenedSetting } from '../../config/community-config.ts';
import { describeConfig, publicSettings } from '../../config/describe.ts';
import { describeListings, publicListings, type StoredSettings } from '../../config/describe-listings.ts';
import type { Environment } from '../../config/environment.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { loadConfig, loadDatabaseUrl } from '../../config/load.ts';
import { configWarnings } from '../../config/warnings.ts';
import { openSnapshot } from '../core/store/snapshots/open-snapshot.ts';
import type { Snapshot } from '../core/store/snapshots/snapshot.ts';
import { isSecretPath } from '../features/settings.ts';
import { sqlitePathOf } from '../platform/database/database-url.ts';
import { messageOf } from '../platform/errors.ts';
import { type ConfigIssue, InvalidConfigError } from '../platform/invalid-config-error.ts';
import { parseJson } from '../platform/json.ts';
import { command } from '../platform/terminal/command.ts';
import { exitCode, type Terminal } from '../platform/terminal/terminal.ts';

const help = `tallyhook config: show the settings and the rewards of each listing in effect, with secrets hidden,
and print warnings to stderr

Usage
  tallyhook config [options]

Options
  --check    validate the settings and print all issues to stderr
  --json     print the result as a JSON object: {settings: [{name, source, value}],
             listings: [{name, kind, origin, settings: [{name, source, value, secret?}]}],
             warnings: [{setting, problem, hint}], issues: [{setting, problem, hint}]}; value is null if the setting is
             unset, secret, or read from a file; source and origin are environment, file, setup (stored in the
             database by /setup), default or unset; listings is null if the settings are invalid
  --schema   print the JSON Schema of the file that TALLYHOOK_CONFIG names
  --help     print this help

The database is only read. Without one, only variables and file are shown.

Exit codes: 0 success, 2 invalid usage, or with --check invalid settings.`;

const flag = { type: 'boolean', default: false } as const;

export const configCommand = command({
  help,
  options: { check: flag, json: flag, schema: flag },
  async run({ values }, terminal) {
    if (values.schema) {
      terminal.print(JSON.stringify(listingsFileSchema(), null, 2));
      return exitCode.ok;
    }
    const error = configErrorOf(process.env);
    const warnings = configWarnings(process.env);
    const stored = await storedSettings(process.env, terminal);
    if (values.json) {
      const json = {
        settings: publicSettings(process.env),
        listings: publicListings(process.env, stored),
        warnings: warnings.map(jsonOf),
        issues: (error?.issues ?? []).map(jsonOf),
      };
      terminal.print(JSON.stringify(json, null, 2));
    } else {
      terminal.print(`${describeConfig(process.env)}\n${describeListings(process.env, stored)}`.trimEnd());
      for (const { setting, problem, hint } of warnings) terminal.printError(`Warning: ${setting} ${problem} ${hint}`);
      if (values.check && error !== null) terminal.printError(error.message);
    }
    return values.check && error !== null ? exitCode.usage : exitCode.ok;
  },
});

/** What `/setup` stored; nothing if that cannot be read. */
async function storedSettings(environment: Environment, terminal: Terminal): Promise<StoredSettings> {
  try {
    return await readStoredSettings(loadDatabaseUrl(environment));
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) {
      const reason = messageOf(error);
      terminal.printError(
        `Warning: what /setup has stored is not shown, because the database cannot be read: ${reason}`,
      );
    }
    return new Map();
  }
}

function jsonOf({ setting, problem, hint }: ConfigIssue): ConfigIssue {
  return { setting, problem, hint };
}

function configErrorOf(environment: Environment): InvalidConfigError | null {
  try {
    loadConfig(environment);
    return null;
  } catch (error) {
    if (error instanceof InvalidConfigError) return error;
    throw error;
  }
}

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
  return path === 'lookupKey' || path === 'siteKey' ? (list[0] ?? '') : list;
}
