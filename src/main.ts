import type { CommandSyntax } from '@tallyhook/platform/terminal/command';
import { processTerminal } from '@tallyhook/platform/terminal/process-terminal';
import {
  calledAs,
  exitCode,
  runCommand,
  type Terminal,
  UsageError,
  withSuggestion,
} from '@tallyhook/platform/terminal/terminal';
import { UnreadableFileError } from '@tallyhook/platform/text-file';
import { readVersion } from '@tallyhook/platform/version';
import { type Environment, readEnvironment } from '../config/environment.ts';

const help = `tallyhook: credits and announcements on Discord for votes on a listing service

Usage
  tallyhook                without settings, try it: run the sandbox, a local Discord and a local listing service
  tallyhook init           ask for the settings, check them, and write the file .env
  tallyhook [start]        receive webhooks and run the bot, once there are settings
  tallyhook sandbox        run the bot with a local Discord and a local listing service, to try it without an account
  tallyhook service        run a listing service with its API, webhooks and pages
  tallyhook send           send a signed test delivery to a webhook receiver and print the response
  tallyhook register       register the slash commands and exit
  tallyhook config         show the settings in effect, with secrets hidden; --check validates them
  tallyhook announcements  show what the announcements look like, without Discord (preview)
  tallyhook doctor         check the whole installation (settings, Discord, API keys, address, database), with hints
  tallyhook backup         copy the database to a file while tallyhook runs, and verify the copy
  tallyhook restore        restore the database from a backup file
  tallyhook export         print all entries of the ledger as JSON lines or CSV
  tallyhook import         take over balances and votes from CSV and JSON files of other programs
  tallyhook settings       export and import what the owner of a community has set up with /setup
  tallyhook guilds         list, park or delete communities that were set up in Discord
  tallyhook rekey          encrypt the secrets that /setup has stored with another key
  tallyhook rewards        try other rules (simulate), and deal with votes that may be forged (alarms, reverse)
  tallyhook completion     print the completion script of a shell (bash, zsh, fish)
  tallyhook help COMMAND   print the options and exit codes of a command
  tallyhook --help         print this help
  tallyhook --version      print the version

Settings are environment variables, or NAME_FILE with the path of a file that contains the value. .env.example lists all
of them. A file .env in the current directory is read as well; the environment takes precedence.

SIGINT or SIGTERM stops a command within 10 seconds, and a listing service --drain-seconds later; a second signal exits
at once.

Exit codes: 0 success, 1 runtime error, or exit after a second signal, 2 invalid usage or settings.`;

/** Time for handles that are still open, such as a socket without a response, before the process exits anyway (ms). */
const exitGraceMs = 1_000;

/** A command with access to the current environment. */
interface Verb {
  (args: readonly string[], terminal: Terminal, environment: () => Environment): Promise<number>;
  /** Missing if it has no options of its own. */
  readonly syntax?: CommandSyntax;
}

/** Loads only the modules of the command that runs. */
const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  init: async () => (await import('./cli/init/init-command.ts')).initCommand,
  start: async () => (await import('./cli/start.ts')).startCommand,
  sandbox: async () => (await import('./sandbox/cli.ts')).sandboxCommand,
  service: async () => {
    const { serviceCommand } = await import('listing-service/cli');
    const run: Verb = (args, terminal) =>
      serviceCommand(args, calledAs(terminal, 'listing-service', 'tallyhook service'));
    return Object.assign(run, { syntax: serviceCommand.syntax });
  },
  send: async () => (await import('./cli/send.ts')).sendCommand,
  register: async () => (await import('./cli/register.ts')).registerCommand,
  config: async () => (await import('./cli/config.ts')).configCommand,
  announcements: async () => (await import('./cli/announcements.ts')).announcementsCommand,
  doctor: async () => (await import('./cli/doctor/doctor-command.ts')).doctorCommand,
  backup: async () => (await import('./cli/backup.ts')).backupCommand,
  restore: async () => (await import('./cli/backup.ts')).restoreCommand,
  export: async () => (await import('./cli/export.ts')).exportCommand,
  import: async () => (await import('./cli/import/import-command.ts')).importCommand,
  completion: async () => (await import('./cli/completion.ts')).createCompletionCommand(syntaxes),
  rekey: async () => (await import('./cli/rekey.ts')).rekeyCommand,
  settings: async () => (await import('./cli/settings.ts')).settingsCommand,
  guilds: async () => (await import('./cli/guilds.ts')).guildsCommand,
  rewards: async () => (await import('./cli/rewards/rewards-command.ts')).rewardsCommand,
};

/** What the shell completes of each command. */
async function syntaxes(): Promise<ReadonlyMap<string, CommandSyntax>> {
  const none = { options: [], actions: [], takesFiles: false };
  const all = Object.entries(verbs).filter(([name]) => name !== 'completion');
  return new Map(await Promise.all(all.map(async ([name, load]) => [name, (await load()).syntax ?? none] as const)));
}

/** Runs the command line and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCommandLine(args, processTerminal());
  // Everything is closed at this point. A leaked handle must not delay the exit.
  setTimeout(() => process.exit(), exitGraceMs).unref();
}

/** Runs the command line, and resolves with its exit code. */
export function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(terminal, () => run(args, terminal)).catch((error: unknown) => {
    terminal.printError(`Unexpected error: ${stackOf(error)}`);
    return exitCode.runtimeError;
  });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const helpVerbs = ['--help', '-h', 'help'];

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [verb = 'start', ...verbArgs] =
    args[0]?.startsWith('-') && !isGlobalOption(args[0]) ? ['start', ...args] : args;
  if (verb === '--version' || verb === '-v') {
    terminal.print(readVersion());
    return exitCode.ok;
  }
  const isHelp = helpVerbs.includes(verb);
  if (isHelp && helpVerbs.includes(verbArgs[0] ?? 'help')) {
    terminal.print(help);
    return exitCode.ok;
  }
  const command = await loadVerb(isHelp ? (verbArgs[0] ?? '') : verb);
  const variables = { ...process.env };
  const environment = () => readEnvironment(variables);
  applyDotEnv(environment);
  return command(isHelp ? ['--help'] : verbArgs, terminal, environment);
}

/** Throws {@link UsageError} if the command does not exist. */
async function loadVerb(verb: string): Promise<Verb> {
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load !== undefined) return load();
  throw new UsageError(withSuggestion(`Unknown command "${verb}".`, verb, [...Object.keys(verbs), 'help']));
}

function isGlobalOption(arg: string): boolean {
  return ['--help', '-h', '--version', '-v'].includes(arg);
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
