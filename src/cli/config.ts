import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { command } from '@tallyhook/platform/terminal/command';
import { exitCode } from '@tallyhook/platform/terminal/terminal';
import { describeConfig, describeListings, publicListings, publicSettings } from '../../config/describe.ts';
import type { Environment } from '../../config/environment.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { loadConfig, loadDatabaseUrl } from '../../config/load.ts';
import { configWarnings, dotEnvWarnings } from '../../config/warnings.ts';
import { storedSettingsOrWarning } from './stored-settings.ts';

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
    const warnings = [...dotEnvWarnings(), ...configWarnings(process.env)];
    const stored = await storedSettingsOrWarning(() => loadDatabaseUrl(process.env), terminal);
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
