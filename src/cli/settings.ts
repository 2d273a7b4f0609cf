import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { formatCount } from '@tallyhook/platform/durations';
import {
  createEncryption,
  KeyMissingError,
  type KeySources,
  nextKeyFileSuffix,
} from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { createKeyFile, replaceKeyFile } from '@tallyhook/platform/encryption/key-file';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { parseJson } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { readTextFile } from '@tallyhook/platform/text-file';
import { describeConfig, describeListings, publicListings, publicSettings } from '../../config/describe.ts';
import type { Environment } from '../../config/environment.ts';
import { communityConfigs, type OpenedSetting, type StoredSettings } from '../../config/listings.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { loadConfig, loadDatabaseUrl, loadKeySources } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { configWarnings, dotEnvWarnings } from '../../config/warnings.ts';
import { noCommunity } from '../core/ledger/account.ts';
import { readCommunities, withFirstGuild } from '../core/store/communities.ts';
import { accessTo, openSnapshot, type Snapshot } from '../core/store/snapshots/snapshot.ts';
import { byGuild, type FindCommunityId, guildsOf } from '../features/communities/community-ids.ts';
import { createListingTargets } from '../features/communities/directory.ts';
import { type CommunityListing, listingsWithCommunity } from '../features/communities/listings.ts';
import { exportSettings, importedChanges } from '../features/settings/file.ts';
import { Settings } from '../features/settings/settings.ts';
import { rekey } from '../features/settings/stored.ts';
import { isSecretPath } from '../features/settings.ts';
import { withStore } from './open-database.ts';

export async function exportToFile(
  { withSecrets = false }: { withSecrets?: boolean },
  terminal: Terminal,
  [guildId = '', file]: readonly string[],
): Promise<number> {
  requireGuildId(guildId);
  const text = await withSettings(loadConfig(process.env), terminal, async (stored) => {
    const { opened, listings } = await stored.open(guildId);
    const [unreadable] = opened.unreadable;
    if (withSecrets && unreadable !== undefined) {
      throw new TallyhookError('settings_key_missing', unreadable.reason, { hint: unreadable.hint });
    }
    return exportSettings(guildId, { settings: opened.settings, listings, withSecrets });
  });
  if (file === undefined) terminal.print(text.trimEnd());
  else writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  if (withSecrets) terminal.printError('This contains secrets: keep it private, and delete it when it is not needed.');
  return exitCode.ok;
}

function requireGuildId(guildId: string): void {
  if (!isSnowflake(guildId)) throw new UsageError('Specify the id of the Discord server (digits).');
}

export async function importFromFile(
  { dryRun, json }: { dryRun?: boolean; json?: boolean },
  terminal: Terminal,
  [guildId = '', file = '']: readonly string[],
): Promise<number> {
  requireGuildId(guildId);
  const config = loadConfig(process.env);
  const text = readTextFile(file);
  return withSettings(config, terminal, async (stored) => {
    const { opened, listings } = await stored.open(guildId);
    const imported = importedChanges(text, { settings: opened.settings, listings });
    if ('issues' in imported) return reportIssues(imported.issues, terminal);
    const before = (listing: string, path: string) =>
      opened.settings.find((each) => each.listing === listing && each.path === path)?.value;
    const differences = imported.changes
      .map(({ listing, path, value }) => ({ listing, path, before: before(listing, path), after: value }))
      .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
      .map((each) => (isSecretPath(each.path) ? { ...each, before: '(secret)', after: '(secret)' } : each));
    if (json) terminal.print(JSON.stringify(differences, null, 2));
    else for (const each of differences) terminal.print(formatDifference(each));
    if (dryRun) return exitCode.ok;
    const author = { guildId, authorId: 'tallyhook', interactionId: `import ${randomUUID()}` };
    const result = await stored.saveChanges(author, imported.changes, { basis: null });
    if (result.status === 'invalid') return reportIssues(result.issues, terminal);
    terminal.printError(result.status === 'saved' ? 'Saved.' : 'Nothing has changed.');
    return exitCode.ok;
  });
}

function formatDifference(difference: { listing: string; path: string; before: unknown; after: unknown }): string {
  const { listing, path, before, after } = difference;
  const shown = (value: unknown) => (value === undefined ? '(not set)' : JSON.stringify(value));
  return `${listing === '' ? '' : `${listing} `}${path}: ${shown(before)} → ${shown(after)}`;
}

function reportIssues(
  issues: readonly { readonly path: string; readonly problem: string; readonly hint: string | null }[],
  terminal: Terminal,
): number {
  for (const { path, problem, hint } of issues) {
    terminal.printError(`${path} ${problem}${hint === null ? '' : `\n  → ${hint}`}`);
  }
  return exitCode.usage;
}

async function withSettings<Result>(
  config: Config,
  terminal: Terminal,
  use: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  return withStore(config.databaseUrl, async (store) => {
    const encryption = createEncryption(config.encryption, ({ problem, hint }) =>
      terminal.printError(`${problem} ${hint}`),
    );
    const settings = new Settings({
      store: store.settings,
      encryption,
      publicUrl: config.publicUrl,
      clock: systemClock,
      onKeyMissing: ({ reason, hint }) => terminal.printError(`${reason} ${hint}`),
      base: () => config.base,
      findTarget: createListingTargets(() => undefined).find,
      apply: async () => {},
    });
    return use(settings);
  });
}

export async function showConfig(
  { check, json, schema }: { check?: boolean; json?: boolean; schema?: boolean },
  terminal: Terminal,
): Promise<number> {
  if (schema) {
    terminal.print(JSON.stringify(listingsFileSchema(), null, 2));
    return exitCode.ok;
  }
  const error = configErrorOf(process.env);
  const warnings = [...dotEnvWarnings(), ...configWarnings(process.env)];
  const stored = await storedSettingsOrWarning(() => loadDatabaseUrl(process.env), terminal);
  if (json) {
    const shown = {
      settings: publicSettings(process.env),
      listings: publicListings(process.env, stored),
      warnings: warnings.map(jsonOf),
      issues: (error?.issues ?? []).map(jsonOf),
    };
    terminal.print(JSON.stringify(shown, null, 2));
  } else {
    terminal.print(`${describeConfig(process.env)}\n${describeListings(process.env, stored)}`.trimEnd());
    for (const { setting, problem, hint } of warnings) terminal.printError(`Warning: ${setting} ${problem} ${hint}`);
    if (check && error !== null) terminal.printError(error.message);
  }
  return check && error !== null ? exitCode.usage : exitCode.ok;
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

export async function encryptAgain({ json }: { json?: boolean }, terminal: Terminal): Promise<number> {
  const sources = loadKeySources(process.env);
  return withStore(loadDatabaseUrl(process.env), async (store) => {
    const { keyId } = await store.settings.state();
    const key = newKeyOf(sources, keyId);
    const total = await rekey({
      store: store.rekey,
      key,
      stop: terminal.stop,
      encryption: createEncryption(sources, ({ problem, hint }) => terminal.printError(`${problem} ${hint}`)),
      onProgress: (values) => terminal.printError(`${formatCount(values, 'secret')} …`),
    });
    const next = nextKeyFileOf(sources);
    if (sources.keyFile !== null && next !== null && existsSync(next)) replaceKeyFile(sources.keyFile, next);
    terminal.print(
      json
        ? JSON.stringify({ key: key.id, rekeyed: total })
        : `All secrets have the key ${key.id}: ${formatCount(total, 'secret')} encrypted again.`,
    );
    return exitCode.ok;
  });
}

/** @throws KeyMissingError if there is no place for a new key */
function newKeyOf(sources: KeySources, keyId: string | null): EncryptionKey {
  const { key, newKey } = sources;
  if (newKey !== null) return newKey;
  if (key !== null && key.id !== keyId) return key;
  const next = key === null ? nextKeyFileOf(sources) : null;
  if (next === null) throw new KeyMissingError(sources);
  // An interrupted run continues with the key that it has created.
  return createKeyFile(next);
}

function nextKeyFileOf({ keyFile }: KeySources): string | null {
  return keyFile === null ? null : `${keyFile}${nextKeyFileSuffix}`;
}

/** Settings of `/setup` as stored, with placeholders for secrets, so that no key is needed; empty without tables. */
export async function readStoredSettings(databaseUrl: string): Promise<StoredSettings> {
  const path = sqlitePathOf(databaseUrl);
  if (path !== null && !existsSync(path)) return new Map();
  const snapshot = await openSnapshot(databaseUrl);
  try {
    return (await snapshot.tables()).includes('setting_values') ? await storedSettingsIn(snapshot) : new Map();
  } finally {
    await snapshot.close();
  }
}

/** Reads what `/setup` has stored; nothing, with a warning, if the database cannot be read. @param databaseUrl may throw InvalidConfigError */
export async function storedSettingsOrWarning(databaseUrl: () => string, terminal: Terminal): Promise<StoredSettings> {
  try {
    return await readStoredSettings(databaseUrl());
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

async function storedSettingsIn({ db, run }: Snapshot): Promise<StoredSettings> {
  const values = db.selectFrom('setting_values').select(['guild_id', 'listing', 'path', 'value']);
  const rows = await run(values.orderBy('guild_id').orderBy('listing').orderBy('path'));
  const settings = new Map<string, OpenedSetting[]>();
  for (const { guild_id: guildId, listing, path, value: stored } of rows) {
    const parsed = parseJson(stored);
    const value = isSecretPath(path) ? placeholders(`${guildId}-${listing}-${path}`, path, Number(parsed)) : parsed;
    settings.set(guildId, [...(settings.get(guildId) ?? []), { listing, path, value }]);
  }
  return settings;
}

/**
 * Stand-ins for secrets of which only the number is known: valid, and different, since a shared key means the same
 * server.
 */
function placeholders(name: string, path: string, count: number): string | readonly string[] {
  const list = Array.from({ length: count }, (_, index) => `placeholder-of-secret-${name}-${index}`);
  return path === 'lookupKey' || path === 'siteKey' ? (list[0] ?? '') : list;
}

/** The listings in effect of one community each, without guilds that have removed the bot. */
export async function communitiesInEffect(
  snapshot: Snapshot,
  config: Pick<Config, 'base' | 'listings'>,
): Promise<readonly (readonly CommunityListing[])[]> {
  const { db, run } = snapshot;
  const parked = await run(db.selectFrom('guilds').select('guild_id').where('parked_at', 'is not', null));
  const isParked = (guildId: string | null) => parked.some((guild) => guild.guild_id === guildId);
  const stored = [...(await storedSettingsIn(snapshot))].filter(([guildId]) => !isParked(guildId));
  const access = accessTo(snapshot);
  // As the next start with these settings finds them.
  const communities = await withFirstGuild(access, await readCommunities(access), guildsOf(config.listings));
  const known = byGuild(communities);
  // Of a guild without a row, nothing is recorded yet.
  const idOf: FindCommunityId = (guildId) => known.get(guildId) ?? noCommunity;
  const listings = listingsWithCommunity(
    communityConfigs(config.base, new Map(stored)).flatMap((each) => each.listings),
    idOf,
  );
  const keyOf = ({ community: { id, guildId } }: CommunityListing) => (id === noCommunity ? guildId : id);
  return [...Map.groupBy(listings, keyOf).values()];
}
