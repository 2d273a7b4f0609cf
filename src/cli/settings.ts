import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { systemClock } from '@tallyhook/platform/clock';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { command } from '@tallyhook/platform/terminal/command';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { readTextFile } from '@tallyhook/platform/text-file';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { createListingTargets } from '../features/communities/listing-targets.ts';
import { exportSettings, importedChanges } from '../features/settings/file.ts';
import { Settings } from '../features/settings/settings.ts';
import { isSecretPath } from '../features/settings.ts';
import { withStore } from './open-database.ts';

const help = `tallyhook settings: export and import what the owner of a community has set up with /setup

Usage
  tallyhook settings export GUILD [FILE] [--with-secrets]   print the settings, or write them to a new file
  tallyhook settings import GUILD FILE [--dry-run]          save the settings of such a file

Options
  --with-secrets   include API keys, webhook secrets and codes; the file is readable for its owner only (mode 0600)
  --dry-run        print the changes and save nothing
  --json           print the changes as a JSON array: [{listing, path, before, after}]
  --help           print this help

The file has the form of the file of TALLYHOOK_CONFIG; null means that something is switched off. An import replaces
everything that was set up, except secrets that the file does not contain. It applies to listings that the community has,
by their name, or by kind and id; every process applies it within 5 seconds, and /setup can undo it.

Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or file.`;

const flag = { type: 'boolean', default: false } as const;

export const settingsCommand = command({
  help,
  options: { 'with-secrets': flag, 'dry-run': flag, json: flag },
  allowPositionals: true,
  actions: ['export', 'import'],
  async run({ values, positionals }, terminal) {
    const [action = '', guildId = '', file, ...others] = positionals;
    if (action !== 'export' && action !== 'import') {
      const message = action === '' ? 'Specify what to do: export or import.' : `Unknown action "${action}".`;
      throw new UsageError(withSuggestion(message, action, ['export', 'import']));
    }
    if (!isSnowflake(guildId)) throw new UsageError('Specify the id of the Discord server (digits).');
    if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
    const config = loadConfig(process.env);
    if (action === 'export') return exportTo(config, { guildId, file, withSecrets: values['with-secrets'] }, terminal);
    if (file === undefined) throw new UsageError('Specify the file to import.');
    return importFrom(config, { guildId, file, dryRun: values['dry-run'], json: values.json }, terminal);
  },
});

async function exportTo(
  config: Config,
  { guildId, file, withSecrets }: { guildId: string; file: string | undefined; withSecrets: boolean },
  terminal: Terminal,
): Promise<number> {
  const text = await withSettings(config, terminal, async (stored) => {
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

async function importFrom(
  config: Config,
  { guildId, file, dryRun, json }: { guildId: string; file: string; dryRun: boolean; json: boolean },
  terminal: Terminal,
): Promise<number> {
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
