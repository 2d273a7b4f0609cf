import { readFileSync } from 'node:fs';
import { readEnvironment } from '../config/dot-env.ts';
import type { Environment } from '../config/read-values.ts';
import { processTerminal } from './terminal/process-terminal.ts';
import { exitCode, runCommand, type Terminal, UsageError, withSuggestion } from './terminal/terminal.ts';

const help = `tallyhook: votes on a listing service become credits and announcements on Discord

Usage
  tallyhook [start]     receive webhooks and run the bot; without DISCORD_TOKEN it runs the sandbox
  tallyhook sandbox     a Discord and a listing service on this machine, to try everything without an account
  tallyhook service     the listing service alone
  tallyhook send        sign one delivery and send it to a receiver
  tallyhook register    register the slash commands and exit
  tallyhook config      show the settings in force, secrets hidden; --check says what is wrong with them, --schema
                        prints the JSON Schema of the file that TALLYHOOK_CONFIG names
  tallyhook doctor      check the whole installation: settings, Discord, keys, address, database; each fault with its cure
  tallyhook backup      copy the database into a file while the program runs, and prove the copy
  tallyhook restore     make such a file the database again
  tallyhook export      print every entry of the ledger as JSON lines or CSV
  tallyhook help VERB   what a command does, and its options
  tallyhook --help      this text
  tallyhook --version

Settings come from environment variables, each also as NAME_FILE; .env.example names them all, and a file .env in the
current directory is read.

SIGINT and SIGTERM stop it in order, within 10 seconds; a second one ends it at once.

Exit codes: 0 stopped on request, 1 fault while running or ended at once, 2 faulty configuration.`;

/** For what was not closed well, such as a socket that nobody answers (ms). */
const exitGraceMs = 1_000;

/** A command. Resolves with its exit code; what it may throw is for `complaining` to tell. */
type Run = (args: readonly string[], terminal: Terminal, environment: () => Environment) => Promise<number>;

/** Each is loaded only when it is asked for: a bot has no use for a service, nor the other way round. */
const verbs: Readonly<Record<string, () => Promise<Run>>> = {
  start: async () => (await import('./cli/start.ts')).startCommand,
  sandbox: async () => (await import('./sandbox/cli.ts')).sandboxCommand,
  service: async () => (await import('./service/cli.ts')).serviceCommand,
  send: async () => {
    const { sendCommand } = await import('./service/send.ts');
    return (args, terminal) => sendCommand(args, terminal);
  },
  register: async () => (await import('./cli/register.ts')).registerCommand,
  config: async () => (await import('./cli/config.ts')).configCommand,
  doctor: async () => (await import('./cli/doctor/command.ts')).doctorCommand,
  backup: async () => (await import('./cli/backup.ts')).backupCommand,
  restore: async () => (await import('./cli/restore.ts')).restoreCommand,
  export: async () => (await import('./cli/export/command.ts')).exportCommand,
};

/** The command line. Sets the exit code; returns when there is nothing left to do. */
export async function main(args: readonly string[]): Promise<void> {
  const terminal = processTerminal();
  process.exitCode = await runCommand(terminal, () => run(args, terminal)).catch((defect: unknown) => {
    terminal.printError(
      `Unexpected error: ${defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)}`,
    );
    return exitCode.runtimeError;
  });
  // All is closed by now. Should something hold on all the same, it must not hold up whoever waits for the end.
  setTimeout(() => process.exit(), exitGraceMs).unref();
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [verb = 'start', ...rest] = args[0]?.startsWith('-') && !isGlobalOption(args[0]) ? ['start', ...args] : args;
  if (verb === '--version' || verb === '-v') {
    terminal.print(version());
    return exitCode.ok;
  }
  const isHelp = verb === '--help' || verb === '-h' || verb === 'help';
  if (isHelp && rest[0] === undefined) {
    terminal.print(help);
    return exitCode.ok;
  }
  const command = await commandNamed(isHelp ? (rest[0] ?? '') : verb);
  const given = { ...process.env };
  readDotEnv();
  return command(isHelp ? ['--help'] : rest, terminal, () => readEnvironment(given));
}

/** Throws {@link UsageError} where there is none. */
async function commandNamed(verb: string): Promise<Run> {
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load !== undefined) return load();
  throw new UsageError(withSuggestion(`There is no command "${verb}".`, verb, Object.keys(verbs)));
}

function isGlobalOption(word: string): boolean {
  return ['--help', '-h', '--version', '-v'].includes(word);
}

/** The version, from the package.json above the sources or above what was built of them. */
function version(): string {
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')).version;
    } catch {
      // Not here, so one above.
    }
  }
  return 'unknown';
}

/** What the environment says already stays as it is. */
function readDotEnv(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw new UsageError('The file .env in this directory cannot be read.');
  }
}
