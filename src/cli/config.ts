import { configWarnings, describeConfig, shownSettings } from '../../config/describe.ts';
import { listingsFileSchema } from '../../config/listings-file.ts';
import { loadConfig } from '../../config/load.ts';
import { type ConfigIssue, InvalidConfigError } from '../../config/schema.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { exitCode, type Terminal } from '../terminal/terminal.ts';

const help = `tallyhook config: shows the settings in force, secrets hidden, and on stderr what is most likely not meant

  --check    also say what is wrong with them; exit code 2 if anything is
  --json     one JSON object for machines: {settings: [{name, source, value}], warnings: [{setting, problem, hint}],
             issues: [{setting, problem, hint}]}; value is null for what is not set, in a file, or secret
  --schema   print the JSON Schema of the file that TALLYHOOK_CONFIG names`;

/** `tallyhook config`. */
export async function configCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { help: { ...flag, short: 'h' }, check: flag, json: flag, schema: flag } as const;
  const { values } = parseOptions({ args: [...args], options });
  if (values.help) {
    terminal.print(help);
    return exitCode.ok;
  }
  if (values.schema) {
    terminal.print(JSON.stringify(listingsFileSchema(), null, 2));
    return exitCode.ok;
  }
  const invalid = faultsIn(process.env);
  const warnings = configWarnings(process.env);
  if (values.json) {
    const hinted = ({ setting, problem, hint: cure }: ConfigIssue) => ({ setting, problem, hint: cure });
    const issues = (invalid?.issues ?? []).map(hinted);
    const shown = { settings: shownSettings(process.env), warnings: warnings.map(hinted), issues };
    terminal.print(JSON.stringify(shown, null, 2));
  } else {
    terminal.print(describeConfig(process.env).trimEnd());
    for (const { setting, problem, hint: cure } of warnings)
      terminal.printError(`Warning: ${setting} ${problem} ${cure}`);
    if (values.check && invalid !== null) terminal.printError(invalid.message);
  }
  return values.check && invalid !== null ? exitCode.usage : exitCode.ok;
}

function faultsIn(environment: typeof process.env): InvalidConfigError | null {
  try {
    loadConfig(environment);
    return null;
  } catch (error) {
    if (error instanceof InvalidConfigError) return error;
    throw error;
  }
}
