import { systemClock } from '../platform/clock.ts';
import { formatDuration, second } from '../platform/durations.ts';
import { createLog, type LogLevel, logLevels } from '../platform/log.ts';
import { isSnowflake } from '../platform/snowflake.ts';
import { command, type ParsedArgs } from '../terminal/command.ts';
import { resolveLogFormat } from '../terminal/process-terminal.ts';
import { exitCode, type Terminal, UsageError, untilStopped, withSuggestion } from '../terminal/terminal.ts';
import { issueSignInToken, signInLinkTtlMs } from './actions/sign-in.ts';
import { createServiceAdmin } from './admin.ts';
import { generateCommand } from './generate-command.ts';
import { type RunningService, type ServiceOptions, startService } from './service.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { exponentialRetry } from './webhooks/retry.ts';
import { systemResolve } from './webhooks/target.ts';

const logFormats = ['auto', 'json', 'pretty'] as const;

const help = `tallyhook service: run a listing service with its API, webhooks and pages

Usage
  tallyhook service [options]                start the service
  tallyhook service add-listing [options]    add a server or a bot; prints its API key, which cannot be shown again
  tallyhook service sign-in [options]        create a sign-in link for a member or owner; valid once, for 15 minutes
  tallyhook service generate [options]       fill the database with generated data, for load tests and demos; prints a
                                             JSON line with kind, id and API key per listing

Options
  --database sqlite:PATH   database of the service (default sqlite:data/service.db)
  --json                   print the result as a JSON object
  --help                   print this help

  start:
  --host HOST              address to listen on (default 127.0.0.1)
  --port PORT              port to listen on, 0 for a free port (default 4000)
  --public-url URL         public URL of the service; required with --production, and for links if --host is 0.0.0.0 or ::
  --seed                   insert an example community and print its API keys, if it does not exist
  --production             for hosting: webhooks may use public HTTPS addresses only, and users sign in by link;
                           without it, webhooks may also use this machine, and visitors may act as any member
  --log-level LEVEL        ${logLevels.join(', ')} (default info)
  --log-format FORMAT      ${logFormats.join(', ')} (default auto: pretty on a terminal, JSON elsewhere)

  add-listing:
  --kind server|bot        kind of the listing
  --id ID                  Discord id of the server or bot
  --name NAME              name of the listing
  --description TEXT       description of the listing
  --owner ID               Discord id of the owner, who may sign in and edit the listing

  sign-in:
  --user ID                Discord id of the user
  --name NAME              name of the user
  --public-url URL         public URL of the service (default http://127.0.0.1:4000)

  generate:
  --listings N             servers and bots to add (default 100)
  --members N              members; each run has the same (default 1000)
  --votes N                votes to add, most of them for few listings (default 10000)
  --reviews N              reviews to add (default 1000)

Exit codes: 0 success, or stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage.`;

const options = {
  database: { type: 'string', default: 'sqlite:data/service.db' },
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
  listings: { type: 'string', default: '100' },
  members: { type: 'string', default: '1000' },
  votes: { type: 'string', default: '10000' },
  reviews: { type: 'string', default: '1000' },
} as const;

const verbs = ['start', 'add-listing', 'sign-in', 'generate'];

type Values = ParsedArgs<typeof options>['values'];

/** `tallyhook service …`. The service runs until the terminal's `stop` signal aborts. */
export const serviceCommand = command({
  help,
  options,
  allowPositionals: true,
  async run({ values, positionals }, terminal) {
    const [verb = 'start', ...extraArguments] = positionals;
    if (extraArguments.length > 0) throw new UsageError(`Unexpected argument "${extraArguments.join(' ')}".`);
    if (verb === 'start') return start(values, terminal);
    if (verb === 'add-listing')
      return withDatabase(values.database, (database) => addListing(database, values, terminal));
    if (verb === 'sign-in') return withDatabase(values.database, (database) => signIn(database, values, terminal));
    if (verb === 'generate')
      return withDatabase(values.database, (database) => generateCommand(database, values, terminal));
    throw new UsageError(withSuggestion(`Unknown command "service ${verb}".`, verb, verbs));
  },
});

async function start(values: Values, terminal: Terminal): Promise<number> {
  const serviceOptions = readServiceOptions(values);
  if (serviceOptions.publicUrl === undefined && isWildcard(values.host)) {
    terminal.printError(
      `The API and the pages contain links, which cannot use the wildcard host "${values.host}". Set --public-url.`,
    );
  }
  const service = await startService(serviceOptions);
  if (!values.production && !['127.0.0.1', '::1', 'localhost'].includes(values.host)) {
    terminal.printError(`Every visitor of ${values.host} may act as any member. For hosting, use --production.`);
  }
  if (values.json) terminal.print(formatStartJson(service));
  else {
    if (service.seeded?.keys) printKeys(service, terminal);
    terminal.print(`The service is at ${service.url}, its API at ${service.baseUrl}`);
  }
  await untilStopped(terminal.stop);
  await service.stop();
  return exitCode.ok;
}

/** Whether a host is the wildcard address in any spelling: 0, 0.0.0.0, ::, or empty. */
function isWildcard(host: string): boolean {
  const url = `http://${host.includes(':') ? `[${host}]` : host}`;
  return host === '' || (URL.canParse(url) && ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(new URL(url).hostname));
}

function readServiceOptions(values: Values): ServiceOptions {
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new UsageError('--port must be 0 to 65535.');
  const level = logLevels.find((name): name is LogLevel => name === values['log-level']);
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(', ')}.`);
  const format = logFormats.find((name) => name === values['log-format']);
  if (format === undefined) throw new UsageError(`--log-format must be one of ${logFormats.join(', ')}.`);
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl)) throw new UsageError('--public-url must be a URL.');
  if (values.production && !publicUrl?.startsWith('https://')) {
    throw new UsageError('--production requires --public-url https://…, the URL of the reverse proxy.');
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

/** `seeded` is null without --seed, or if the example community existed. */
function formatStartJson({ url, baseUrl, seeded }: RunningService): string {
  const keysOf = ({ server, bot, keys }: NonNullable<RunningService['seeded']>) =>
    keys && { server: { id: server.id, key: keys.server }, bot: { id: bot.id, key: keys.bot } };
  return JSON.stringify({ url, baseUrl, seeded: (seeded && keysOf(seeded)) ?? null });
}

function printKeys({ seeded }: RunningService, { print }: Terminal): void {
  print('The example community was created. Its API keys, which cannot be shown again:');
  print(`  server ${seeded?.server.id}  ${seeded?.keys?.server}`);
  print(`  bot    ${seeded?.bot.id}  ${seeded?.keys?.bot}`);
}

async function addListing(database: Database, values: Values, { print }: Terminal): Promise<number> {
  const { kind, description } = values;
  if (kind !== 'server' && kind !== 'bot') throw new UsageError('--kind must be server or bot.');
  const context = {
    database,
    clock: systemClock,
    retry: exponentialRetry,
    targets: { allowLoopback: false, resolve: systemResolve },
  };
  const { listing, key } = await createServiceAdmin(context, () => {}).createListing({
    kind,
    discordId: readSnowflake(values.id, '--id'),
    name: readText(values.name, '--name'),
    ownerId: readSnowflake(values.owner, '--owner'),
    ...(description === undefined ? {} : { description }),
  });
  if (values.json) print(JSON.stringify({ id: listing.id, kind: listing.kind, name: listing.name, key }));
  else {
    print(`${listing.name} was added. Its API key, which cannot be shown again:`);
    print(`  ${key}`);
  }
  return exitCode.ok;
}

async function signIn(database: Database, values: Values, { print }: Terminal): Promise<number> {
  const member = { userId: readSnowflake(values.user, '--user'), username: readText(values.name, '--name') };
  const token = await issueSignInToken(database, member, systemClock.now());
  const baseUrl = (values['public-url'] ?? 'http://127.0.0.1:4000').replace(/(?<!\/)\/+$/, '');
  const url = `${baseUrl}/sign-in/${token}`;
  if (values.json) print(JSON.stringify({ ...member, url, validSeconds: signInLinkTtlMs / second }));
  else {
    print(`Sign-in link for ${member.username}, valid once, for ${formatDuration(signInLinkTtlMs)}:`);
    print(`  ${url}`);
  }
  return exitCode.ok;
}

async function withDatabase(address: string, run: (database: Database) => Promise<number>): Promise<number> {
  const database = await openDatabase(address);
  try {
    return await run(database);
  } finally {
    await database.destroy();
  }
}

function readSnowflake(value: string | undefined, option: string): string {
  if (isSnowflake(value)) return value;
  throw new UsageError(`${option} must be a Discord id, 1 to 20 digits.`);
}

function readText(value: string | undefined, option: string): string {
  if (value !== undefined && value.trim() !== '') return value.trim();
  throw new UsageError(`${option} is missing.`);
}
