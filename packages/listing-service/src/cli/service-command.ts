import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { Option, Program } from '@tallyhook/platform/terminal/program';
import type { Terminal } from '@tallyhook/platform/terminal/terminal';

/** Runs `listing-service …`, and resolves with the exit code. The service runs until the terminal's `stop` signal aborts. */
export function serviceCommand(
  args: readonly string[],
  terminal: Terminal,
  clock: Clock = systemClock,
): Promise<number> {
  return createServiceProgram(terminal, clock).run(args);
}

/** All commands of the service. */
export function createServiceProgram(terminal: Terminal, clock: Clock = systemClock): Program {
  const program = new Program('listing-service', terminal)
    .description('run a listing service with its API, webhooks and pages')
    .defaultsTo('start')
    .details(`
      Without a command it starts the service: the help of start has its options.

      Exit codes: 0 success, or stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage.`);

  addStartOptions(
    program
      .command('start')
      .description('start the service (the default)')
      .option('--json', 'print its addresses as a JSON object'),
  )
    .runs(async () => (await import('./start.ts')).start)
    .details(`
      Without --production, webhooks may also use this machine, and visitors may act as any member. With it, webhooks may use
      public HTTPS addresses only, users sign in with Discord or by link, actions are limited, and new bots wait for
      approval. In the developer portal, the redirect URL of the application is the public URL and
      /sign-in/discord/callback.

      The port of --operations-port has no authentication: do not open it to the internet. All options of the pages can be
      variables: SERVICE_NAME, SERVICE_LOGO, …, and SERVICE_FOOTER_LINKS with one link in each line.

      Exit codes: 0 stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage.`);

  withDatabase(program.command('add-listing'))
    .description('add a server or a bot; prints its API key, which cannot be shown again')
    .addOption(new Option('--kind <kind>', 'kind of the listing').choices(['server', 'bot']).makeOptionMandatory())
    .requiredOption('--id <id>', 'Discord id of the server or bot')
    .requiredOption('--name <name>', 'name of the listing')
    .option('--description <text>', 'description of the listing')
    .requiredOption('--owner <id>', 'Discord id of the owner, who may sign in and edit the listing')
    .runs(async () => (await import('./actions.ts')).addListing);
  withDatabase(program.command('sign-in'))
    .description('create a sign-in link for a member or owner; valid once, for 15 minutes')
    .requiredOption('--user <id>', 'Discord id of the user')
    .requiredOption('--name <name>', 'name of the user')
    .option('--public-url <url>', 'public URL of the service', 'http://127.0.0.1:4000')
    .runs(async () => (await import('./actions.ts')).signIn);

  const copied = `
    The copy is verified: file integrity; the counts of every listing are those of its votes and reviews.

    JSON: {file, database, listings, members, votes, reviews, lastVoteAt, differingCounts}`;
  withDatabase(program.command('backup <file>'))
    .description('copy the SQLite database to a file while the service runs, and verify the copy')
    .runs(async () => (await import('./copy-database.ts')).backup)
    .details(`${copied}

      The copy is a consistent snapshot, and has the name FILE.partial until it is verified. An existing file is not
      overwritten. Only its owner can read the copy, which contains the webhook secrets. For PostgreSQL the command prints
      the tool to use instead.

      Exit codes: 0 copied, 1 not copied, or copied but counts differ, 2 invalid usage, or PostgreSQL.`);
  withDatabase(program.command('restore <file>'))
    .description('restore the SQLite database from a backup file')
    .runs(async () => (await import('./copy-database.ts')).restore)
    .details(`${copied}

      Stop the service first, and move the old database away, with its -wal and -shm files if there are any: an existing
      database is not overwritten. The backup is verified before it is copied, and is not changed. If the command fails, no
      database is created. For PostgreSQL the command prints the tool to use instead.

      Exit codes: 0 restored, 1 not restored, or restored but counts differ, 2 invalid usage, or PostgreSQL.`);

  addStartOptions(
    program
      .command('doctor')
      .option('--json', 'print a JSON object: {pass, findings: [{check, level, message, hint}]}'),
  )
    .description('check an installation of the service, also while it runs, with a hint for each problem')
    .runs(async () => (await import('./doctor/doctor-command.ts')).doctor)
    .details(`
      It takes the options of start, and checks those that it needs: --database, --public-url, --production, --operator,
      --trust-proxy, --discord-client-id and --discord-client-secret-file. It sends requests to the public URL and to
      Discord, reads the database (the rows of 200 listings; the whole file is checked for damage), and writes a single row.
      In JSON, level is "pass", "warn" or "fail", and hint may be null.

      Exit codes: 0 no check failed (there may be warnings), 1 a check failed, 2 invalid usage.`);
  withDatabase(program.command('moderation'))
    .description('list new bots that wait for approval, and open reports')
    .runs(async () => (await import('./actions.ts')).moderation);
  withDatabase(program.command('generate'))
    .description('fill the database with generated data; prints a JSON line per listing')
    .option('--listings <number>', 'servers and bots to add', '100')
    .option('--members <number>', 'members; each run has the same', '1000')
    .option('--votes <number>', 'votes to add, most of them for few listings', '10000')
    .option('--reviews <number>', 'reviews to add', '1000')
    .runs(async () => (await import('./actions.ts')).generateRows)
    .details('It is for load tests and demos. A run that was stopped continues.');

  program
    .command('conformance')
    .description('check another service against the document of the lookup API')
    .requiredOption('--base-url <url>', 'base URL of the API; ends in /api/v1')
    .option('--server-key <key>', 'API key of a server')
    .option('--bot-key <key>', 'API key of a bot')
    .option('--server-key-file <file>', 'read the key from a file, to keep it out of the shell history')
    .option('--bot-key-file <file>', 'the same for the key of the bot')
    .option('--voted-user <id>', 'Discord id of a user who has voted for the server')
    .option('--skip-rate-limit', 'do not check the rate limit')
    .option('--choices', "also compare what the document does not define with tallyhook's own service")
    .option('--json', 'print each check as a JSON object: {outcome, section, line, saw}')
    .runs(async () => (await import('../conformance/cli.ts')).createConformance(clock))
    .details(`
      One of the keys is required; checks that need a missing one are skipped. The check of the rate limit takes a minute (up
      to three if more than 120 requests are accepted) and uses up the key of the server for another.

      The outcome of each check is one of
      - holds: the service conforms to the document
      - fails: the service does not conform to the document
      - skipped: the check could not be run; the reason is printed
      - differs: with --choices: the document defines nothing, and the service behaves differently from tallyhook's own

      Exit codes: 0 no check fails, 1 a check fails, 2 invalid usage.`);
  return program;
}

/** The option of all commands that open the database, without `--json`. */
function addDatabase(command: Program): Program {
  return command.option(
    '--database <address>',
    'sqlite:PATH, a path, or postgres://USER:PASSWORD@HOST/NAME (default: the variable SERVICE_DATABASE_URL, the file that ' +
      'SERVICE_DATABASE_URL_FILE names, or sqlite:data/service.db)',
  );
}

function withDatabase(command: Program): Program {
  return addDatabase(command).option('--json', 'print the result as a JSON object');
}

/** The options of the running service. */
function addStartOptions(command: Program): Program {
  return addDatabase(command)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 for a free port', '4000')
    .option('--public-url <url>', 'public URL; required with --production, and for links on a wildcard host')
    .option('--drain-seconds <number>', 'after a stop signal, still answer for so long while /readyz is 503', '0')
    .option('--seed', 'insert an example community and print its API keys, if it does not exist')
    .option('--redis <url>', 'redis:// or rediss://, also Valkey: counts requests there, or set SERVICE_REDIS_URL')
    .addOption(
      new Option('--log-level <level>', 'lines below it are left out')
        .choices(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
        .default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'auto: readable lines on a terminal, JSON elsewhere')
        .choices(['auto', 'json', 'pretty'])
        .default('auto'),
    )
    .optionsGroup('For hosting:')
    .option('--production', 'no local webhooks, but sign-in, limits, and approval of bots')
    .option('--discord-client-id <id>', 'application at Discord with which users sign in')
    .option('--discord-client-secret-file <file>', 'its client secret, or set SERVICE_DISCORD_CLIENT_SECRET')
    .option('--discord-api-url <url>', 'for a local Discord (default: https://discord.com/api)')
    .option('--operator <id...>', 'Discord id of a user who may open the moderation pages')
    .option('--trust-proxy <number>', 'number of reverse proxies that set X-Forwarded-For', '0')
    .addOption(
      new Option('--challenge <name>', 'check before each vote').choices(['none', 'proof-of-work']).default('none'),
    )
    .option('--operations-port <port>', 'another port for /metrics, /healthz, and /readyz with reasons')
    .option('--operations-host <host>', 'address of that port', '127.0.0.1')
    .optionsGroup('Pages:')
    .option('--name <name>', 'name of the service on its pages (default: Listing service)')
    .option('--logo <file>', 'PNG, JPEG, WebP, GIF or SVG beside the name, up to 256 KB')
    .option('--accent <colour>', 'colour of links and buttons, such as #1f5f6b')
    .option('--footer-link <text=url...>', 'link in the footer, https:// or mailto:; may be repeated')
    .option('--imprint <file>', 'page of the operator, a plain text')
    .option('--privacy <file>', 'the same for privacy (default: what the service stores)')
    .option('--terms <file>', 'the same for terms');
}
