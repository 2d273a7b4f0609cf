import { processTerminal } from '@tallyhook/platform/terminal/process-terminal';
import { Argument, completionScripts, completions, Option, Program } from '@tallyhook/platform/terminal/program';
import { calledAs, exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { UnreadableFileError } from '@tallyhook/platform/text-file';
import { readVersion } from '@tallyhook/platform/version';
import { createServiceProgram } from 'listing-service/cli';
import { type Environment, readEnvironment } from '../config/environment.ts';

/** Time for handles that are still open, such as a socket without a response, before the process exits anyway (ms). */
const exitGraceMs = 1_000;

/** Runs the command line and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCommandLine(args, processTerminal());
  // Everything is closed at this point. A leaked handle must not delay the exit.
  setTimeout(() => process.exit(), exitGraceMs).unref();
}

/** Runs the command line, and resolves with its exit code. */
export function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const variables = { ...process.env };
  const environment = () => readEnvironment(variables);
  const program = createProgram(terminal, environment).hook('preAction', () => applyDotEnv(environment));
  return program.run(args).catch((error: unknown) => {
    terminal.printError(`Unexpected error: ${stackOf(error)}`);
    return exitCode.runtimeError;
  });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const exitCodes = 'Exit codes: 0 success, 1 runtime error, 2 invalid usage or settings.';
const untilStopped =
  'Exit codes: 0 stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage or settings.';

/** All commands. @param environment the variables that a start at this moment would use */
function createProgram(terminal: Terminal, environment: () => Environment): Program {
  const program = new Program('tallyhook', terminal)
    .description('Credits and announcements on Discord for votes on listing sites.')
    .version(readVersion(), '-v, --version', 'print the version')
    .defaultsTo('start')
    .details(`
      Without a command it starts the bot; without settings, the sandbox.

      Settings are environment variables, or NAME_FILE with the path of a file that contains the value. .env.example
      lists all of them. A file .env in the current directory is read as well; the environment takes precedence.

      SIGINT or SIGTERM stops a command within 10 seconds, and a listing service --drain-seconds later; a second signal
      exits at once.

      Exit codes: 0 success, 1 runtime error, or exit after a second signal, 2 invalid usage or settings.`);

  program.commandsGroup('Try:');
  addSandboxOptions(program.command('sandbox'))
    .description('run the bot with a local Discord and a local listing service, to try it without an account')
    .option('--json', 'print the addresses as a JSON object: {page, service, bot}')
    .runs(async () => (await import('./sandbox/cli.ts')).runSandbox)
    .details(`
      The page has the channels, slash commands, votes on three listing sites, credits, announcements, and buttons that
      inject faults, and leads through them in three tours. Everything runs on this machine.

      Settings such as CREDITS_PER_VOTE, OWNER_TOKEN, HOST and PORT apply to the bot. The sandbox sets everything that
      concerns Discord and the listing service.

      ${untilStopped}`);

  program
    .command('send')
    .description('send a signed test delivery to a webhook receiver and print the response')
    .addArgument(new Argument('<event>', 'what is sent').choices(['vote', 'bot-vote', 'premium', 'test']))
    .option('--to <url>', 'URL of the receiver')
    .option('--secret <secret>', 'webhook secret that signs the delivery; better use --secret-file')
    .option('--secret-file <file>', 'read the secret from a file, or from stdin with -')
    .option('--user <id>', 'Discord id of the voter or buyer', '123456789012345678')
    .option('--username <name>', 'name of the voter or buyer', 'Test voter')
    .option('--listing <id>', 'Discord id of the server or bot', '613425648685547541')
    .option('--credits <number>', "creditsAwarded in the vote (default: true, the receiver's own amount)")
    .option('--site <site>', 'send a vote or test as another listing site does, such as topgg')
    .option('--json', 'print a JSON object')
    .optionsGroup('Error tests:')
    .option('--duplicate', 'send the same delivery twice; the receiver must count it once')
    .option('--bad-signature', 'sign with another secret; the receiver must return 401')
    .option('--reorder', 'send two events in the wrong order')
    .runs(async () => (await import('./cli/send.ts')).sendSamples)
    .details(`
      The event is a vote for a server or for a bot, a premium purchase, or what "Test Webhook" of the dashboard sends.
      Those of another site go to /webhooks/ and the name of the listing. With --reorder there are two votes, newer first,
      or a renewal before its purchase.

      JSON: {passed, deliveries: [{request, status, response, error, tookMs, passed}]}

      Exit codes: 0 the receiver returned the expected status, 1 it did not, 2 invalid usage.`);

  program.commandsGroup('Set up:');
  program
    .command('init')
    .description('ask for the settings, check them, and write the file .env')
    .option('--file <file>', 'the file to write', '.env')
    .option('--set <name=value...>', 'a setting that is not asked for; use the environment for secrets')
    .option('--offline', 'do not check the bot token, keys and channel with requests')
    .option('--yes', 'ask nothing: use --set, the environment and the values of the file; for scripts')
    .runs(async () => (await import('./cli/init/init-command.ts')).init)
    .details(`
      First it asks where you are listed, then what those sites need. Each value is checked as soon as it is entered: the
      token and the keys with a request, the rest by its form. Sites, servers and channels are searched while you type. If
      Discord or the service cannot be reached, it says so and continues. An existing file keeps its comments and other
      values; the changes are shown before it is replaced as a whole, readable for you only. Ctrl-C leaves it as it is.
      Secrets that you enter are not shown.

      The bot token is enough: listings on top.gg and other sites are linked in Discord, with /setup. A site with the lookup
      API needs its address. With an API key and without a secret for votes, one is generated and printed. On PostgreSQL
      the SETTINGS_KEY that /setup needs is generated, unless there is one. A file that TALLYHOOK_CONFIG names and that does
      not exist is created with the schema for editors, and no listings yet.

      Exit codes: 0 written, or nothing to change, 1 runtime error or stopped, 2 invalid usage or values.`);

  program
    .command('doctor')
    .description('check the whole installation, also while tallyhook runs, with hints')
    .option('--url <url>', 'webhook URL as configured at the service, such as https://votes.example.org')
    .option('--json', 'print a JSON object: {pass, findings: [{check, level, message, hint}]}')
    .runs(async () => (await import('./cli/doctor/doctor-command.ts')).doctor)
    .details(`
      It sends an unsigned delivery to the URL, which must be rejected, and for each listing a signed test, which must
      arrive unchanged and is neither stored nor announced. Without --url only HOST and PORT on this machine are checked.

      It sends requests to Discord, to the service (one request for each API key, counted in its rate limit) and to GitHub,
      for the latest version (UPDATE_CHECK=off: none), and reads the whole database. It writes a single row, to check that
      the database is writable. In JSON, level is "pass", "warn" or "fail", and hint may be null.

      Exit codes: 0 no check failed (there may be warnings), 1 a check failed, 2 invalid usage or settings.`);

  program
    .command('config')
    .description('show the settings and the rewards of each listing in effect, with secrets hidden')
    .option('--check', 'validate the settings and print all issues to stderr')
    .option('--json', 'print a JSON object')
    .option('--schema', 'print the JSON Schema of the file that TALLYHOOK_CONFIG names')
    .runs(async () => (await import('./cli/settings.ts')).showConfig)
    .details(`
      Warnings are printed to stderr. The database is only read. Without one, only variables and file are shown.

      JSON: {settings: [{name, source, value}], listings: [{name, kind, origin, settings: [{name, source, value, secret?}]}],
      warnings: [{setting, problem, hint}], issues: [{setting, problem, hint}]}. The value is null if the setting is unset,
      secret, or read from a file; source and origin are environment, file, setup (stored in the database by /setup),
      default or unset; listings is null if the settings are invalid.

      Exit codes: 0 success, 2 invalid usage, or with --check invalid settings.`);

  program
    .command('register')
    .description('register the slash commands in the guild of DISCORD_GUILD_ID or globally, and exit')
    .option('--http', 'make Discord send commands to the endpoint of tallyhook instead of through the gateway')
    .option('--gateway', 'make Discord send commands through the gateway again')
    .option('--url <url>', 'the address of the endpoint, with --http (default: PUBLIC_URL/interactions)')
    .option('--delete <ids>', 'commands that an earlier tallyhook has left globally or in a guild')
    .option('--exclude <names>', 'commands that a program leaves out in code (`commands.exclude`): help,stats')
    .option('--user-install', 'let members add the application to their own account')
    .option('--json', 'print a JSON object')
    .runs(async () => (await import('./cli/register.ts')).register)
    .details(`
      \`tallyhook start\` registers them as well; use this to register them ahead of time. The ids of the commands are stored
      in the database (DATABASE_URL), and only commands that tallyhook itself has registered are changed or deleted: also
      those that it has left globally, or in a guild, with another database or another DISCORD_GUILD_ID. If it cannot be
      known that one with a name of ours is of tallyhook, name its id with --delete.

      The endpoint has to run with DISCORD_PUBLIC_KEY. With DISCORD_CLIENT_SECRET and PUBLIC_URL, the conditions and the page
      of linked roles are published, too.

      JSON: {outcome, guildId, created, updated, unchanged, deleted, conflicts, inaccessible, earlier, application}; outcome
      is "registered" or "unchanged"; application has the changed settings of the application.

      Exit codes: 0 registered or unchanged, 1 runtime error, 2 invalid usage or settings.`);

  const announcements = program
    .command('announcements')
    .description('show what the announcements look like, without Discord');
  announcements
    .command('preview')
    .description('print each kind of announcement with sample members, as the settings announce them')
    .option('--listing <name>', 'this listing only')
    .option(
      '--json',
      'print a JSON array: [{listing, mode, previews: [{subject, title, text: [line], buttons: [label]}]}]',
    )
    .runs(async () => (await import('./cli/announcements.ts')).previewOnTerminal)
    .details(`
      Votes, milestones, premium, digests, lost streaks, reviews and tests. Discord shows its own markup, such as **bold**, and
      mentions and times in its own way.

      Exit codes: 0 success, 2 invalid usage or settings.`);

  program.commandsGroup('Run:');
  addSandboxOptions(
    program
      .command('start')
      .description('receive webhooks and run the bot, once there are settings')
      .option('--compile', 'load the program, so that Node keeps it compiled beside the code, and exit: for an image')
      .optionsGroup('Without DISCORD_TOKEN, for the sandbox:'),
  )
    .option('--json', 'print the addresses as a JSON object: {page, service, bot}')
    .runs(async () => (await import('./cli/start.ts')).createStart(environment))
    .details(`
      Settings are environment variables; .env.example lists them all. Without DISCORD_TOKEN it runs the sandbox instead,
      unless NODE_ENV is production.

      SIGHUP reloads .env, the files of NAME_FILE and the file of TALLYHOOK_CONFIG, and activates their webhook secrets and
      API keys. Other changes need a restart. If the new settings are invalid, the old ones stay active and the log lists
      the issues.

      SIGINT or SIGTERM stops it within 10 seconds; a second signal exits at once.

      ${untilStopped}`);
  const service = createServiceProgram(calledAs(terminal, 'listing-service', 'tallyhook service'));
  program.addCommand(service.name('service'));

  program.commandsGroup('Data:');
  const copied = 'print a JSON object: {file, database, entries, users, lastDeliveryAt, differingBalances}';
  program
    .command('backup <file>')
    .description('copy the SQLite database of DATABASE_URL to a file while tallyhook runs, and verify the copy')
    .option('--json', copied)
    .runs(async () => (await import('./cli/backup.ts')).backup)
    .details(`
      The copy is a consistent snapshot. It is verified (file integrity; every balance is the sum of its entries) and has the
      name FILE.partial until then. An existing file is not overwritten. Only its owner can read the copy. To restore it,
      use \`tallyhook restore FILE\`. The key of secrets that /setup has stored is not in the copy: keep a copy of
      SETTINGS_KEY, or of the key file beside the database, in another place. For PostgreSQL the command prints the tool to
      use instead.

      Exit codes: 0 copied, 1 not copied, or copied but the ledger is inconsistent, 2 invalid usage or settings, or
      PostgreSQL.`);
  program
    .command('restore <file>')
    .description('restore the SQLite database of DATABASE_URL from a backup file')
    .option('--json', copied)
    .runs(async () => (await import('./cli/backup.ts')).restore)
    .details(`
      Stop tallyhook first, and move the old database away, with its -wal and -shm files if there are any: an existing
      database is not overwritten. The backup is verified before it is copied, and is not changed. If the command fails, no
      database is created. For PostgreSQL the command prints the tool to use instead.

      Exit codes: 0 restored, 1 not restored, or restored but the ledger is inconsistent, 2 invalid usage or settings, or
      PostgreSQL.`);

  program
    .command('export')
    .description('print all entries of the ledger as JSON lines or CSV, oldest first, from a consistent snapshot')
    .addOption(
      new Option('--format <format>', 'JSON lines, or CSV with a header').choices(['jsonl', 'csv']).default('jsonl'),
    )
    .option('--out <file>', 'write to a file that only its owner can read; an existing file is not overwritten')
    .option('--user <id>', 'only the entries of this Discord user, in all communities')
    .option('--since <date>', 'only entries of events at or after this date, such as 2026-11-01')
    .option('--json', 'print the summary as a JSON object: {entries, credits}')
    .runs(async () => (await import('./cli/backup.ts')).exportEntries)
    .details(`
      Progress and the summary are printed to stderr. A date without a time, as in 2026-11-01T12:00:00Z, means midnight, and a
      time without a time zone UTC.

      Fields: id, userId, listing, credits, cause, reason, at, deliveryId, guildId. The guild is that of the account, if it is
      known. In CSV (RFC 4180), text that a spreadsheet would execute as a formula is prefixed with an apostrophe.
      Spreadsheets round long numbers: import the columns userId and guildId as text.

      Exit codes: 0 exported, 1 runtime error, 2 invalid usage or settings.`);

  program
    .command('import [files...]')
    .usage(
      'FILE... [options]\n       tallyhook import --from-site [options]\n       tallyhook import --list | --undo ID',
    )
    .description('take over balances and votes from CSV and JSON files of other programs')
    .option('--from-site', 'credit the votes that the site of a listing, such as top.gg, has in its history')
    .option('--list', 'print the imports with their ids')
    .option('--undo <id|name>', 'take back what an import credited, as far as members have not spent it')
    .option('--dry-run', 'report what would be credited, and what rejected, and change nothing')
    .addOption(
      new Option('--as <kind>', 'what a row is: the balance of a member, or a vote').choices(['balances', 'votes']),
    )
    .option('--map <columns>', 'which column is what: user=id,credits=points,votes=count,time=at,listing=site')
    .option('--key <template>', 'where the id is in a key of a database: points_{user}, points_{guild}_{user}')
    .option('--path <name>', 'where the rows are in a JSON file, if not at the top: users, or data.users')
    .addOption(new Option('--format <format>', 'if that is not recognised').choices(['csv', 'json', 'ndjson']))
    .option('--name <name>', 'the name of the import (default: the name of the first file)')
    .option('--guild <id>', 'the community: the id of its Discord server, or none (default: the only one)')
    .option('--since <time>', 'with --from-site: the first votes (default: a year ago, or to continue)')
    .option('--listing <name>', 'what the votes are for (default: the only listing)')
    .option('--votes-at <time>', 'when votes were cast of which a row has only the number, such as 2026-01-31')
    .option('--reason <text>', 'what members read (default: "imported from NAME")')
    .option('--round', 'cut off fractions of credits, instead of rejecting the rows')
    .addOption(new Option('--decimal <sign>', 'what begins a fraction, if that is not clear').choices([',', '.']))
    .option('--rejected <file>', 'write all rejected rows to a new CSV file, with lines and reasons')
    .option('--yes', 'import without asking; required if the input is not a terminal')
    .option('--json', 'print a JSON object')
    .runs(async () => (await import('./cli/import/import-command.ts')).importData)
    .details(`
      Balances become corrections. Votes are added to the members' votes, streaks and leaderboards of their time; they earn
      nothing, and nothing is announced. The bot may run meanwhile. An import that was interrupted continues when it is run
      again. Settings are those of the bot. docs/import.md has examples.

      Rows with times are votes by themselves. With --map, a name may lead into objects in JSON: credits=value.points. The
      format ndjson has one JSON value per line. A name credits a member's balance, and each vote, once ever, so an import can
      be repeated with the same files, or with newer ones. With --decimal , 1.234 is 1234; with --decimal . 1,234 is.

      Exit codes: 0 success, 1 runtime error, or some rows were rejected, 2 invalid usage, settings or file.`);

  const settings = program
    .command('settings')
    .description('export and import what the owner of a community has set up with /setup');
  const ofSettings = `
    The file has the form of the file of TALLYHOOK_CONFIG; null means that something is switched off. An import replaces
    everything that was set up, except secrets that the file does not contain. It applies to listings that the community
    has, by their name, or by kind and id; every process applies it within 5 seconds, and /setup can undo it.

    Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or file.`;
  settings
    .command('export <guild> [file]')
    .description('print the settings, or write them to a new file')
    .option('--with-secrets', 'include API keys, webhook secrets and codes; only its owner can read the file')
    .runs(async () => (await import('./cli/settings.ts')).exportToFile)
    .details(ofSettings);
  settings
    .command('import <guild> <file>')
    .description('save the settings of such a file')
    .option('--dry-run', 'print the changes and save nothing')
    .option('--json', 'print the changes as a JSON array: [{listing, path, before, after}]')
    .runs(async () => (await import('./cli/settings.ts')).importFromFile)
    .details(ofSettings);

  const guilds = program
    .command('guilds')
    .description('list, park or delete communities that were set up in Discord')
    .defaultsTo('list')
    .details(`
      A community is parked by itself when it has removed the bot, and used again if it adds the bot within 30 days; then its
      settings, accounts and deliveries are deleted. One that was parked here is deleted as well. Of a guild whose listings
      are in the environment or the file, only the settings are deleted. Running processes apply a change within 5 seconds.

      ${exitCodes}`);
  guilds
    .command('list')
    .description('list the communities with settings of their own (the default)')
    .option('--json', 'print a JSON array: [{guildId, parkedAt, parkedBy, deletedAt, missingSince, changedAt}]')
    .runs(async () => (await import('./cli/guilds.ts')).listGuilds);
  guilds
    .command('park <guild>')
    .description('record votes, but post and give nothing in this guild until it is unparked')
    .runs(async () => (await import('./cli/guilds.ts')).parkGuild);
  guilds
    .command('unpark <guild>')
    .description('use its settings again')
    .runs(async () => (await import('./cli/guilds.ts')).unparkGuild);
  guilds
    .command('delete <guild>')
    .description('delete the settings, secrets and accounts of a parked community, with their history')
    .option('--yes', 'do not ask before the deletion')
    .runs(async () => (await import('./cli/guilds.ts')).deleteGuild);

  const tokens = program
    .command('tokens')
    .description('create, list or revoke tokens of a community, with which programs use its part of the owner API')
    .defaultsTo('list')
    .details(`
      Running processes apply a change at once. Managers do the same with /setup.

      ${exitCodes}`);
  tokens
    .command('create')
    .description('create a token, and print it once')
    .option('--guild <id>', 'the guild of the community, or none; needed if there are several')
    .requiredOption('--name <name>', 'what it is for, such as the program that uses it')
    .option('--scopes <scopes>', 'what it allows: read, write (award, correct, replay), settings', 'read')
    .option('--expires <duration>', 'when it ends, such as 90d (default: never)')
    .option('--json', 'print a JSON object: {token, id, name, scopes, expiresAt, guildId}')
    .runs(async () => (await import('./cli/tokens.ts')).createToken);
  tokens
    .command('list')
    .description('list the tokens of a community, without the tokens themselves (the default)')
    .option('--guild <id>', 'the guild of the community, or none; needed if there are several')
    .option('--json', 'print a JSON array: [{id, name, scopes, createdAt, createdBy, expiresAt, usedAt, revokedAt}]')
    .runs(async () => (await import('./cli/tokens.ts')).listTokens);
  tokens
    .command('revoke <id>')
    .description('end a token at once, by its id in the list')
    .option('--guild <id>', 'the guild of the community, or none; needed if there are several')
    .runs(async () => (await import('./cli/tokens.ts')).revokeToken);

  const rewards = program.command('rewards').description('try other rules, and deal with votes that may be forged');
  rewards
    .command('simulate')
    .description('report what other rules would have paid in the last 30 days')
    .requiredOption('--rules <file>', 'JSON file with "rewards" of a listing, and optionally "timeZone"')
    .option('--listing <name>', 'the rules are for this listing only; the others of its community keep theirs')
    .option('--json', 'print {days, credits: {before, after}}; credits is null if nobody has voted')
    .runs(async () => (await import('./cli/rewards.ts')).simulateRewards)
    .details(`
      It compares the rules in force with those of the file, for the votes and premium of the members of a community, as
      /setup does after a change. It changes nothing. Votes within the cooldown stay uncounted, and weights of votes on other
      sites are left out. A multiplier for a role uses the roles last seen of the member, and a party goes by the time of
      the votes.

      Credits per vote and premium that the file leaves out stay as they are; any other rule that it leaves out is off.
      Listings and rules are those of the settings and of /setup.

      Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or rules.`);
  rewards
    .command('alarms')
    .description('list the listings of which many more votes than usual have arrived, which are held')
    .option('--release <name>', 'have the running bot pay the held votes of this listing, with their own times')
    .addOption(new Option('--reject <name>', 'never pay the held votes of this listing').conflicts('release'))
    .option('--json', 'print {listings: [{listing, state, heldAt, held, paid, usual}]}, with usual votes per hour')
    .runs(async () => (await import('./cli/rewards.ts')).decideAlarms)
    .details(exitCodes);
  rewards
    .command('reverse')
    .description('take back what the votes of a listing between two times have earned')
    .requiredOption('--listing <name>', 'the listing')
    .requiredOption('--from <time>', 'ISO 8601, in UTC without another time zone')
    .requiredOption('--until <time>', 'its end, exclusive')
    .option('--dry-run', 'report what would be taken back, and take nothing')
    .option('--yes', 'do not ask; required if the input is not a terminal')
    .option('--json', 'print {members, votes, credits, spent}; spent are credits that members no longer had')
    .runs(async () => (await import('./cli/rewards.ts')).reverseVotes)
    .details(`
      Credits are taken back as far as members still have them. The votes count no longer, and their roles end. It can be
      stopped at any time, and run again; the bot may run meanwhile.

      ${exitCodes}`);

  const raffle = program.command('raffle').description('check the draw of a raffle');
  raffle
    .command('verify <source>')
    .description('compute a raffle again from its published file (a file, or its address), and compare everything')
    .option('--json', 'print {pass, id, period, commitment, winners, problems}')
    .runs(async () => (await import('./cli/raffle.ts')).verifyRaffle)
    .details(`
      It needs neither settings nor a database, so anybody can run it. The rule is in the file, and in docs/raffles.md.

      Exit codes: 0 everything matches, 1 something does not, or the file cannot be read, 2 invalid usage.`);

  const webhooks = program
    .command('webhooks')
    .description('see the addresses that hear of events, and send again what has failed')
    .defaultsTo('list');
  const endpointOptions = (command: Program) =>
    command
      .option('--guild <id>', 'of this server only')
      .option('--endpoint <id>', 'this address only, by its id in the list');
  endpointOptions(webhooks.command('list'))
    .description('list the addresses, and which of them fail (the default)')
    .option('--json', 'print {endpoints: [{guildId, endpoint, host, events, failingSince, pausedAt, reason}]}')
    .runs(async () => (await import('./cli/webhooks.ts')).listWebhooks)
    .details(exitCodes);
  endpointOptions(webhooks.command('resend'))
    .description('have the running bot send again what has failed for good')
    .option('--since <duration>', 'what happened in this time', '7d')
    .runs(async () => (await import('./cli/webhooks.ts')).resendWebhooks)
    .details(exitCodes);
  endpointOptions(webhooks.command('resume'))
    .description('have paused addresses tried again')
    .runs(async () => (await import('./cli/webhooks.ts')).resumeWebhooks)
    .details(exitCodes);

  program
    .command('listen')
    .description('print events as they happen, and pass them on to a program on this machine')
    .option(
      '--url <url>',
      'address of tallyhook, such as https://votes.example.org (default: a sandbox on this machine)',
    )
    .option('--token <token>', 'a token with the scope read (default: OWNER_TOKEN of the environment)')
    .option('--forward <url>', 'send each event to this address, signed as an endpoint gets it')
    .option('--secret <secret>', 'the secret that signs them, whsec_… (default: a new one, which is printed)')
    .option('--replay <duration>', 'begin with the events of this time, such as 1h')
    .option('--json', 'print each event as JSON')
    .runs(async () => (await import('./cli/listen.ts')).listen)
    .details(`
      It needs no public address: it reads the stream of the API, and continues after a broken connection where it was.
      With the sandbox in another terminal, "tallyhook listen" needs no options.

      ${untilStopped}`);

  program
    .command('rekey')
    .description('encrypt the secrets in the database with another key, while tallyhook runs')
    .option('--json', 'print a JSON object: {key, rekeyed}')
    .runs(async () => (await import('./cli/settings.ts')).encryptAgain)
    .details(`
      They are the secrets of /setup, and the tokens of members with linked roles. The new key is NEW_SETTINGS_KEY (or the
      file NEW_SETTINGS_KEY_FILE), from \`openssl rand -hex 32\`; if it is not set, SETTINGS_KEY, if the database has another
      key; otherwise, with SQLite, a new key file, which replaces the one beside the database. The earlier key has to be
      available: in SETTINGS_KEY, or in the key file.

      With SETTINGS_KEY, set NEW_SETTINGS_KEY in every process first and restart them: they accept both keys. Run this
      command, then set SETTINGS_KEY to the new key and remove NEW_SETTINGS_KEY. A process without the new key keeps what it
      has read, cannot store or read secrets any more, and logs that. Processes that use a key file find the new one
      themselves.

      It can be interrupted and run again. Keep a copy of the old key as long as you keep backups from before.

      Exit codes: 0 all secrets have the new key, 1 runtime error, 2 invalid usage or settings.`);
  program.commandsGroup('Help:');
  program
    .command('completion')
    .description('print a script with which the shell completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'where it is used').choices(Object.keys(completionScripts)))
    .runs(async () => async (_options, { print }, [shell]) => {
      const script = Object.entries(completionScripts).find(([name]) => name === shell)?.[1];
      if (script !== undefined) print(script('tallyhook'));
      return exitCode.ok;
    })
    .details(`
      - bash: add to ~/.bashrc: source <(tallyhook completion bash)
      - zsh: add to ~/.zshrc, after compinit: source <(tallyhook completion zsh)
      - fish: run once: tallyhook completion fish > ~/.config/fish/completions/tallyhook.fish
      - PowerShell 7.3: add to $PROFILE: tallyhook completion powershell | Out-String | Invoke-Expression`);
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .runs(async () => async (_options, { print }, words) => {
      const found = completions(program, words);
      if (found.length > 0) print(found.join('\n'));
      return exitCode.ok;
    });
  program.helpCommand('help [command]', 'print the options and exit codes of a command');
  return program;
}

/** The options of the sandbox, which `start` has as well. */
function addSandboxOptions(command: Program): Program {
  return command
    .option('--port <port>', 'port of the page (default: 3100, or a free port if it is in use)')
    .option('--no-open', 'do not open the page in the browser, as it does on a terminal with a display')
    .option('--speed <factor>', 'run the clock of the sandbox up to 60 times as fast (default: 1)')
    .option('--seed <number>', 'seed of all random values, or none: no votes, reviews and orders')
    .option('--unlinked', 'start without listings, to link them with /setup; the service has their API keys')
    .option('--data <directory>', 'for the state of the sandbox (default: data/sandbox)')
    .option('--fresh', 'delete the previous state first');
}

/** Adds the variables of `.env` to `process.env`, where libraries read theirs, such as pg `PGPASSWORD`. */
function applyDotEnv(environment: () => Environment): void {
  try {
    Object.assign(process.env, environment());
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new UsageError(`The file .env in this directory ${error.problem}. ${error.hint}`);
  }
}
