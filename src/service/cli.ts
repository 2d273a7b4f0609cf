import type { parseArgs } from 'node:util';
import { systemClock } from '../platform/clock.ts';
import { formatCount, minute, second } from '../platform/durations.ts';
import { createLog, type LogLevel, logLevels } from '../platform/log.ts';
import { resolveLogFormat } from '../terminal/log-format.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { exitCode, runCommand, type Terminal, UsageError, untilStopped, withSuggestion } from '../terminal/terminal.ts';
import { issueSignInToken, linkLifetime } from './actions/sign-in.ts';
import { createServiceAdmin } from './admin.ts';
import { listingIdSchema } from './listing/listing.ts';
import { type RunningService, type ServiceOptions, startService } from './service.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { exponentialRetry } from './webhooks/retry.ts';
import { systemResolve } from './webhooks/target.ts';

const logFormats = ['auto', 'json', 'pretty'] as const;

export const serviceHelp = `tallyhook service: the listing service itself, with its API, webhooks and pages

Usage
  tallyhook service [options]                start it
  tallyhook service add-listing [options]    put a server or a bot on it; prints its API key once
  tallyhook service sign-in [options]        make a sign-in link for a member or owner; works once, for 15 minutes

Options
  --database sqlite:PATH   where everything is kept (default sqlite:data/service.db)
  --json                   print what is printed for people as one JSON object instead
  --help                   this text

  start:
  --host HOST              address to listen on (default 127.0.0.1)
  --port PORT              port to listen on, 0 takes a free one (default 4000)
  --public-url URL         where the service is reached from outside; needed with --production, and to link to it where
                           --host is 0.0.0.0 or ::
  --seed                   put an example community into the database and print its API keys, if it is not there yet
  --production             for hosting: webhooks go to public HTTPS addresses only, and people sign in by link.
                           Without it webhooks may also go to this machine, and visitors may act as any member.
  --log-level LEVEL        ${logLevels.join(', ')} (default info)
  --log-format FORMAT      ${logFormats.join(', ')} (default auto: pretty on a terminal, JSON elsewhere)

  add-listing:
  --kind server|bot        what it is
  --id ID                  its Discord id
  --name NAME              its name
  --description TEXT       a few words about it
  --owner ID               the Discord id of its owner, who may then sign in and edit it

  sign-in:
  --user ID                the Discord id of whom the link signs in
  --name NAME              the name to show
  --public-url URL         where the service is reached (default http://127.0.0.1:4000)

Exit codes: 0 stopped on request, 1 fault while running, 2 wrong usage.`;

/** `tallyhook service …`. Ends when it is done or when the terminal says stop; answers with the exit code. */
export function serviceCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(terminal, async () => {
    const { values, positionals } = parseOptions({ args: [...args], options: words, allowPositionals: true });
    if (values.help) {
      terminal.print(serviceHelp);
      return exitCode.ok;
    }
    const [verb = 'start', ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`"${rest.join(' ')}" is not understood.`);
    if (verb === 'start') return start(values, terminal);
    if (verb === 'add-listing')
      return withDatabase(values.database, (database) => addListing(database, values, terminal));
    if (verb === 'sign-in') return withDatabase(values.database, (database) => signIn(database, values, terminal));
    throw new UsageError(withSuggestion(`There is no "service ${verb}".`, verb, ['start', 'add-listing', 'sign-in']));
  });
}

const words = {
  database: { type: 'string', default: 'sqlite:data/service.db' },
  help: { type: 'boolean', short: 'h', default: false },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '4000' },
  'public-url': { type: 'string' },
  seed: { type: 'boolean', default: false },
  production: { type: 'boolean', default: false },
  'log-level': { type: 'string', default: 'info' },
  'log-format': { type: 'string', default: 'auto' },
  json: { type: 'boolean', default: false },
  kind: { type: 'string' },
  id: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string' },
  owner: { type: 'string' },
  user: { type: 'string' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof words }>>['values'];

async function start(values: Values, terminal: Terminal): Promise<number> {
  const options = readOptions(values);
  if (options.publicUrl === undefined && isWildcard(options.host)) {
    terminal.printError(
      `No visitor can open the wildcard host "${options.host}", but the API and the pages link to it. Set --public-url.`,
    );
  }
  const service = await startService(options);
  if (!values.production && !['127.0.0.1', '::1', 'localhost'].includes(values.host)) {
    terminal.printError(`Whoever reaches ${values.host} may act as any member. For hosting, use --production.`);
  }
  if (values.json) terminal.print(startedAsJson(service));
  else {
    if (service.seeded?.keys) printKeys(service, terminal);
    terminal.print(`The service is at ${service.url}, its API at ${service.baseUrl}`);
  }
  await untilStopped(terminal.stop);
  await service.stop();
  return exitCode.ok;
}

/** Whether a host means every address of this machine, in any spelling: 0, 0.0.0.0, ::, and the empty one. */
function isWildcard(host: string): boolean {
  const url = `http://${host.includes(':') ? `[${host}]` : host}`;
  return host === '' || (URL.canParse(url) && ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(new URL(url).hostname));
}

function readOptions(values: Values): ServiceOptions {
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new UsageError('--port must be 0 to 65535.');
  const level = logLevels.find((known): known is LogLevel => known === values['log-level']);
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(', ')}.`);
  const format = logFormats.find((known) => known === values['log-format']);
  if (format === undefined) throw new UsageError(`--log-format must be one of ${logFormats.join(', ')}.`);
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl)) throw new UsageError('--public-url must be a URL.');
  if (values.production && !publicUrl?.startsWith('https://')) {
    throw new UsageError('--production needs --public-url https://…, the address that a proxy in front of it serves.');
  }
  return {
    host: values.host,
    port,
    database: values.database,
    clock: systemClock,
    log: createLog({ level, secrets: [], format: resolveLogFormat(format) }),
    allowLoopbackTargets: !values.production,
    actAsMembers: !values.production,
    seed: values.seed,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  };
}

/** `seeded` is null where the example community was in the database already, or was not asked for. */
function startedAsJson({ url, baseUrl, seeded }: RunningService): string {
  const keysOf = ({ server, bot, keys }: NonNullable<RunningService['seeded']>) =>
    keys && { server: { id: server.id, key: keys.server }, bot: { id: bot.id, key: keys.bot } };
  return JSON.stringify({ url, baseUrl, seeded: (seeded && keysOf(seeded)) ?? null });
}

function printKeys({ seeded }: RunningService, { print }: Terminal): void {
  print('The example community is in the database. Its API keys are shown this once:');
  print(`  server ${seeded?.server.id}  ${seeded?.keys?.server}`);
  print(`  bot    ${seeded?.bot.id}  ${seeded?.keys?.bot}`);
}

async function addListing(database: Database, values: Values, { print }: Terminal): Promise<number> {
  const { kind, description } = values;
  if (kind !== 'server' && kind !== 'bot') throw new UsageError('--kind must be server or bot.');
  const sending = {
    database,
    clock: systemClock,
    retry: exponentialRetry,
    targets: { allowLoopback: false, resolve: systemResolve },
  };
  const { listing, key } = await createServiceAdmin(sending, () => {}).createListing({
    kind,
    discordId: readId(values.id, '--id'),
    name: readWords(values.name, '--name'),
    ownerId: readId(values.owner, '--owner'),
    ...(description === undefined ? {} : { description }),
  });
  if (values.json) print(JSON.stringify({ id: listing.id, kind: listing.kind, name: listing.name, key }));
  else {
    print(`${listing.name} is listed. Its API key is shown this once:`);
    print(`  ${key}`);
  }
  return exitCode.ok;
}

async function signIn(database: Database, values: Values, { print }: Terminal): Promise<number> {
  const member = { userId: readId(values.user, '--user'), username: readWords(values.name, '--name') };
  const token = await issueSignInToken(database, member, systemClock.now());
  const address = (values['public-url'] ?? 'http://127.0.0.1:4000').replace(/(?<!\/)\/+$/, '');
  const url = `${address}/sign-in/${token}`;
  if (values.json) print(JSON.stringify({ ...member, url, validSeconds: linkLifetime / second }));
  else {
    print(`This link signs ${member.username} in, once, within ${formatCount(linkLifetime / minute, 'minute')}:`);
    print(`  ${url}`);
  }
  return exitCode.ok;
}

async function withDatabase(address: string, use: (database: Database) => Promise<number>): Promise<number> {
  const database = await openDatabase(address);
  try {
    return await use(database);
  } finally {
    await database.destroy();
  }
}

function readId(value: string | undefined, option: string): string {
  if (value !== undefined && listingIdSchema.test(value)) return value;
  throw new UsageError(`${option} must be a Discord id, 1 to 20 digits.`);
}

function readWords(value: string | undefined, option: string): string {
  if (value !== undefined && value.trim() !== '') return value.trim();
  throw new UsageError(`${option} is missing.`);
}
