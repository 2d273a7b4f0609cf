import { logLevels } from '../../platform/log.ts';
import { command } from '../../terminal/command.ts';
import { UsageError, withSuggestion } from '../../terminal/terminal.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { addListing } from './add-listing.ts';
import { generateCommand } from './generate.ts';
import { serviceOptions } from './options.ts';
import { signIn } from './sign-in.ts';
import { logFormats, start } from './start.ts';

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
  --operations-port PORT   another port for /metrics, /healthz, and /readyz with reasons; without it there are no metrics.
                           It has no authentication: do not open it to the internet
  --operations-host HOST   address of that port (default 127.0.0.1)
  --drain-seconds N        after a stop signal, still answer for N seconds (0 to 60, default 0) while /readyz is 503
  --seed                   insert an example community and print its API keys, if it does not exist
  --production             for hosting: webhooks may use public HTTPS addresses only, and users sign in with Discord or by link;
                           without it, webhooks may also use this machine, and visitors may act as any member
  --discord-client-id ID   application at Discord with which users sign in; its redirect URL in the developer portal is
                           the public URL and /sign-in/discord/callback
  --discord-client-secret-file FILE
                           its client secret, or set SERVICE_DISCORD_CLIENT_SECRET
  --discord-api-url URL    for a local Discord (default https://discord.com/api)
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

const verbs = ['start', 'add-listing', 'sign-in', 'generate'];

/** `tallyhook service …`. The service runs until the terminal's `stop` signal aborts. */
export const serviceCommand = command({
  help,
  options: serviceOptions,
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

async function withDatabase(address: string, run: (database: Database) => Promise<number>): Promise<number> {
  const database = await openDatabase(address);
  try {
    return await run(database);
  } finally {
    await database.destroy();
  }
}
