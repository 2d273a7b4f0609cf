import { loadDatabaseUrl } from '../../config/database-url.ts';
import { loadConfig } from '../../config/load.ts';
import type { Environment } from '../../config/read-values.ts';
import { type Config, InvalidConfigError } from '../../config/schema.ts';
import { exitCode, type Terminal } from './terminal.ts';

type Run<Settings> = (settings: Settings) => Promise<number>;

/** Runs with the configuration of the environment, or says what is wrong with it and resolves with the exit code 2. */
export function withConfig(terminal: Terminal, run: Run<Config>): Promise<number> {
  return withSettings(terminal, loadConfig, run);
}

/** The same with the address of the database, the only setting that is looked at. */
export function withDatabase(terminal: Terminal, run: Run<string>): Promise<number> {
  return withSettings(terminal, loadDatabaseUrl, run);
}

async function withSettings<Settings>(
  terminal: Terminal,
  load: (environment: Environment) => Settings,
  run: Run<Settings>,
): Promise<number> {
  try {
    return await run(load(process.env));
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    terminal.printError(error.message);
    return exitCode.usage;
  }
}
