import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { describeConfig, describeListings, publicListings, publicSettings } from '../../config/describe.ts';
import type { Environment } from '../../config/environment.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { loadConfig, loadDatabaseUrl } from '../../config/load.ts';
import { configWarnings, dotEnvWarnings } from '../../config/warnings.ts';
import { storedSettingsOrWarning } from './stored-settings.ts';

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
