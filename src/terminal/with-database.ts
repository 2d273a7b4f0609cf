import { loadDatabaseUrl } from '../../config/database-url.ts';
import { FaultyConfig } from '../../config/schema.ts';
import { exit, type Terminal } from './terminal.ts';

/**
 * Runs with the address of the database, the only setting that is looked at, or says what is wrong with it and resolves
 * with the exit code 2.
 */
export async function withDatabase(terminal: Terminal, run: (url: string) => Promise<number>): Promise<number> {
  try {
    return await run(loadDatabaseUrl(process.env));
  } catch (error) {
    if (!(error instanceof FaultyConfig)) throw error;
    terminal.complain(error.message);
    return exit.usage;
  }
}
