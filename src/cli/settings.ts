import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { readTextFile } from '@tallyhook/platform/text-file';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { createListingTargets } from '../features/communities/listing-targets.ts';
import { exportSettings, importedChanges } from '../features/settings/file.ts';
import { Settings } from '../features/settings/settings.ts';
import { isSecretPath } from '../features/settings.ts';
import { withStore } from './open-database.ts';

/** `tallyhook settings export`. */
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

/** `tallyhook settings import`. */
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
