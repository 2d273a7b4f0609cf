import { parseArgs } from 'node:util';
import { logLevels } from '@tallyhook/platform/log';
import { type CliCommand, command } from '@tallyhook/platform/terminal/command';
import { type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { conformanceCommand } from '../conformance/cli.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { addListing, generateCommand, moderation, signIn } from './actions.ts';
import { backupCommand, restoreCommand } from './copy-database.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { readDatabaseAddress, type ServiceValues, serviceOptions } from './options.ts';
import { logFormats, start } from './start.ts';

const help = `listing-service: run a listing service with its API, webhooks and pages

Usage
  listing-service [options]                 start the service
  listing-service add-listing [options]     add a server or a bot; prints its API key, which cannot be shown again
  listing-service sign-in [options]         create a sign-in link for a member or owner; valid once, for 15 minutes
  listing-service backup FILE [options]     copy the database to a file while the service runs, and verify the copy
  listing-service restore FILE [options]    restore the database from a backup file
  listing-service doctor [options]          check the installation, with hints
  listing-service moderation [options]      list new bots that wait for approval, and open reports
  listing-service generate [options]        fill the database with generated data; prints a JSON line per listing
  listing-service conformance [options]     check another service against the document of the lookup API

Options
  --database ADDRESS       sqlite:PATH, a path, or postgres://USER:PASSWORD@HOST/NAME (default: the variable
                           SERVICE_DATABASE_URL, the file that SERVICE_DATABASE_URL_FILE names, or sqlite:data/service.db)
  --json                   print the result as a JSON object
  --help                   print this help; that of backup, restore, doctor or conformance after its name

  start:
  --host HOST              address to listen on (default 127.0.0.1)
  --port PORT              port to listen on, 0 for a free port (default 4000)
  --public-url URL         public URL of the service; required with --production, and for links if --host is 0.0.0.0 or ::
  --operations-port PORT   another port for /metrics, /healthz, and /readyz with reasons; without it there are no metrics.
                           It has no authentication: do not open it to the internet
  --operations-host HOST   address of that port (default 127.0.0.1)
  --drain-seconds N        after a stop signal, still answer for N seconds (0 to 60, default 0) while /readyz is 503
  --seed                   insert an example community and print its API keys, if it does not exist
  --redis URL              redis://… or rediss://…, also of Valkey: counts the requests of API keys there, or set
                           SERVICE_REDIS_URL (default: in the database, or in a file beside it)
  --production             for hosting: webhooks may use public HTTPS addresses only, users sign in with Discord or by link,
                           actions are limited, and new bots wait for approval; without it, webhooks may also use this
                           machine, and visitors may act as any member
  --discord-client-id ID   application at Discord with which users sign in; its redirect URL in the developer portal is
                           the public URL and /sign-in/discord/callback
  --discord-client-secret-file FILE
                           its client secret, or set SERVICE_DISCORD_CLIENT_SECRET
  --discord-api-url URL    for a local Discord (default https://discord.com/api)
  --operator ID            Discord id of a user who may open the moderation pages; may be repeated
  --trust-proxy N          number of reverse proxies that set X-Forwarded-For (default 0: the header is ignored)
  --challenge NAME         check before each vote: none (default) or proof-of-work, by which the browser computes for a second
  --name NAME              name of the service on its pages (default "Listing service")
  --logo FILE              picture beside the name and icon of the pages: PNG, JPEG, WebP, GIF or SVG, up to 256 KB
  --accent COLOUR          colour of links and buttons, such as #1f5f6b; darker or lighter where text would be hard to read
  --footer-link TEXT=URL   link in the footer, https:// or mailto:; may be repeated
  --imprint FILE           page of the operator, a plain text; and so --privacy FILE (default: what the service stores) and
                           --terms FILE. All of these can be variables: SERVICE_NAME, SERVICE_LOGO, …, and
                           SERVICE_FOOTER_LINKS with one link in each line
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

  generate, for load tests and demos; a run that was stopped continues:
  --listings N             servers and bots to add (default 100)
  --members N              members; each run has the same (default 1000)
  --votes N                votes to add, most of them for few listings (default 10000)
  --reviews N              reviews to add (default 1000)

Exit codes: 0 success, or stopped by a signal, 1 runtime error, or exit after a second signal, 2 invalid usage.`;

/** Commands with options of their own. */
const subcommands: Readonly<Record<string, CliCommand>> = {
  backup: backupCommand,
  restore: restoreCommand,
  doctor: doctorCommand,
  conformance: conformanceCommand,
};

const actions: Readonly<
  Record<string, (database: Database, values: ServiceValues, terminal: Terminal) => Promise<number>>
> = { 'add-listing': addListing, 'sign-in': signIn, moderation, generate: generateCommand };

const verbs = ['start', ...Object.keys(actions), ...Object.keys(subcommands)];

const mainCommand = command({
  help,
  options: serviceOptions,
  allowPositionals: true,
  choices: {
    kind: ['server', 'bot'],
    challenge: ['none', 'proof-of-work'],
    'log-level': logLevels,
    'log-format': logFormats,
  },
  actions: verbs,
  async run({ values, positionals }, terminal) {
    const [verb = 'start', ...extraArguments] = positionals;
    if (extraArguments.length > 0) throw new UsageError(`Unexpected argument "${extraArguments.join(' ')}".`);
    if (verb === 'start') return start(values, terminal);
    const action = Object.hasOwn(actions, verb) ? actions[verb] : undefined;
    if (action === undefined) throw new UsageError(withSuggestion(`Unknown command "${verb}".`, verb, verbs));
    const database = await openDatabase(await readDatabaseAddress(values, terminal));
    try {
      return await action(database, values, terminal);
    } finally {
      await database.destroy();
    }
  },
});

/** `listing-service …`. The service runs until the terminal's `stop` signal aborts. */
export const serviceCommand: CliCommand = Object.assign(
  (args: readonly string[], terminal: Terminal) => {
    const at = positionOfVerb(args);
    const verb = args[at] ?? '';
    const subcommand = Object.hasOwn(subcommands, verb) ? subcommands[verb] : undefined;
    return subcommand === undefined ? mainCommand(args, terminal) : subcommand(args.toSpliced(at, 1), terminal);
  },
  { syntax: mainCommand.syntax },
);

/** The index of the first argument that is neither an option nor its value; -1 without one. */
function positionOfVerb(args: readonly string[]): number {
  const { tokens } = parseArgs({ args: [...args], options: serviceOptions, strict: false, tokens: true });
  return tokens.find(({ kind }) => kind === 'positional')?.index ?? -1;
}
