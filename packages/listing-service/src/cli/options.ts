import type { LogLevel } from '@tallyhook/platform/log';
import { databaseUrlForm } from '@tallyhook/platform/pasted-forms';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { readSecret, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import type { DiscordApplication } from '../discord-sign-in/discord-accounts.ts';

/** The options of `start` and `doctor`. */
export interface StartOptions {
  readonly database?: string;
  readonly host: string;
  readonly port: string;
  readonly publicUrl?: string;
  readonly drainSeconds: string;
  readonly seed?: boolean;
  readonly redis?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: 'auto' | 'json' | 'pretty';
  readonly production?: boolean;
  readonly discordClientId?: string;
  readonly discordClientSecretFile?: string;
  readonly discordApiUrl?: string;
  readonly operator?: readonly string[];
  readonly trustProxy: string;
  readonly challenge: 'none' | 'proof-of-work';
  readonly operationsPort?: string;
  readonly operationsHost: string;
  readonly name?: string;
  readonly logo?: string;
  readonly accent?: string;
  readonly footerLink?: readonly string[];
  readonly imprint?: string;
  readonly privacy?: string;
  readonly terms?: string;
  readonly json?: boolean;
}

/** @throws UsageError */
export function readSnowflake(value: string | undefined, option: string): string {
  if (isSnowflake(value)) return value;
  throw new UsageError(`${option} must be a Discord id, 1 to 20 digits.`);
}

/** @throws UsageError */
export function readText(value: string | undefined, option: string): string {
  if (value !== undefined && value.trim() !== '') return value.trim();
  throw new UsageError(`${option} is missing.`);
}

const variable = 'SERVICE_DATABASE_URL';
const defaultAddress = 'sqlite:data/service.db';

/**
 * The address of the database: `--database`, or the variable, because every user of a machine can read the arguments of
 * a program and an address may contain a password, or the file that it names. A path without a scheme is a SQLite file.
 * @throws UsageError, and TallyhookError `unreadable_file`
 */
export async function readDatabaseAddress(
  { database }: { readonly database?: string },
  terminal: Terminal,
): Promise<string> {
  const address = database ?? (await readVariable(terminal)) ?? defaultAddress;
  const form = databaseUrlForm(['postgres', 'postgresql']);
  if (/^postgres(ql)?:/.test(form.clean(address))) {
    const problem = form.problem(form.clean(address));
    if (problem === null) return form.clean(address);
    throw new UsageError(`The address of the database is invalid (--database, or ${variable}); ${problem}.`);
  }
  if (/^sqlite:./.test(address) || address === ':memory:') return address;
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

const secretVariable = 'SERVICE_DISCORD_CLIENT_SECRET';

/**
 * The application with which members sign in; undefined without `--discord-client-id`.
 * @throws UsageError, and TallyhookError `unreadable_file`
 */
export async function readDiscordApplication(
  values: Pick<StartOptions, 'discordClientId' | 'discordClientSecretFile' | 'discordApiUrl'>,
  terminal: Terminal,
): Promise<DiscordApplication | undefined> {
  const { discordClientId: id, discordClientSecretFile: file, discordApiUrl: apiUrl } = values;
  if (id === undefined) {
    if (file !== undefined || apiUrl !== undefined) throw new UsageError('--discord-client-id is missing.');
    return undefined;
  }
  const clientId = readSnowflake(id, '--discord-client-id');
  const secret = terminal.environment?.[secretVariable] || undefined;
  if (secret !== undefined && file !== undefined)
    throw new UsageError(`The client secret is set twice: remove ${secretVariable} or --discord-client-secret-file.`);
  if (secret === undefined && file === undefined)
    throw new UsageError(`The client secret is missing: set ${secretVariable} or --discord-client-secret-file.`);
  const clientSecret = (await readSecret({ secret, file }, terminal)).trim();
  if (apiUrl === undefined) return { clientId, clientSecret };
  if (!/^https?:\/\//.test(apiUrl) || !URL.canParse(apiUrl)) throw new UsageError('--discord-api-url must be a URL.');
  return { clientId, clientSecret, apiUrl: apiUrl.replace(/(?<!\/)\/+$/, '') };
}
