import { readSecret, type Terminal, UsageError } from '../../platform/terminal/terminal.ts';

const variable = 'SERVICE_DATABASE_URL';
const defaultAddress = 'sqlite:data/service.db';

/**
 * The address of the database: `--database`, or the variable, because every user of a machine can read the arguments of
 * a program and an address may contain a password, or the file that it names. A path without a scheme is a SQLite file.
 * @throws UsageError, and TallyhookError `unreadable_file`
 */
export async function readDatabaseAddress(
  values: { readonly database?: string | undefined },
  terminal: Terminal,
): Promise<string> {
  const address = values.database ?? (await readVariable(terminal)) ?? defaultAddress;
  if (/^(sqlite|postgres|postgresql):./.test(address) || address === ':memory:') return address;
  // A single letter is a drive of Windows.
  if (address !== '' && !/^[a-z][a-z0-9+.-]+:/i.test(address)) return `sqlite:${address}`;
  throw new UsageError(`The database must be sqlite:PATH, a path, or postgres://… (--database, or ${variable}).`);
}

async function readVariable(terminal: Terminal): Promise<string | undefined> {
  const { environment = {} } = terminal;
  const file = environment[`${variable}_FILE`] || undefined;
  if (environment[variable]) {
    if (file !== undefined) throw new UsageError(`${variable} is set twice, also as ${variable}_FILE.`);
    return environment[variable];
  }
  return file === undefined ? undefined : (await readSecret({ file }, terminal)).trim();
}
