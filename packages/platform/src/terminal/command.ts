import { type ParseArgsConfig, parseArgs } from 'node:util';
import { exitCode, runCommand, type Terminal, UsageError, withSuggestion } from './terminal.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

const helpOption = { help: { type: 'boolean', short: 'h', default: false } } as const;

/** The parsed command line: `values` of the options and `positionals`. */
export type ParsedArgs<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/**
 * A command of the command line. Resolves with its exit code, and rejects only with unexpected errors
 * (see {@link runCommand}).
 */
export interface CliCommand {
  (args: readonly string[], terminal: Terminal): Promise<number>;
  readonly syntax: CommandSyntax;
}

/** What the shell completes. */
export interface CommandSyntax {
  readonly options: readonly CommandOption[];
  /** The values of the first argument; empty if it is a file, or if there is none. */
  readonly actions: readonly string[];
  /** Whether arguments are files. */
  readonly takesFiles: boolean;
}

export interface CommandOption {
  /** With the dashes: `--json`. */
  readonly name: string;
  readonly takesValue: boolean;
  /** The values that it may have; empty if they are not known. */
  readonly choices: readonly string[];
}

/** Creates a command with the given options and `--help`. Unknown options are reported with a suggestion. */
export function command<const O extends Options>(definition: {
  readonly help: string;
  /** As for `parseArgs` of `node:util`. */
  readonly options: O;
  readonly allowPositionals?: boolean;
  /** The values that options may have, for the completion of the shell. */
  readonly choices?: Readonly<Partial<Record<keyof O & string, readonly string[]>>>;
  /** The values of the first argument, for the completion of the shell; otherwise arguments are files. */
  readonly actions?: readonly string[];
  readonly run: (parsed: ParsedArgs<O>, terminal: Terminal) => Promise<number>;
}): CliCommand {
  const { help, options, allowPositionals = false, choices = {}, actions = [], run } = definition;
  const runParsed = (args: readonly string[], terminal: Terminal) =>
    runCommand(terminal, async () => {
      const config: ParseArgsConfig = { args: [...args], options: { ...options, ...helpOption }, allowPositionals };
      if (parseOptions(config).values['help'] === true) {
        terminal.print(help);
        return exitCode.ok;
      }
      // Parsed again with the exact type of the options. The arguments are already validated.
      return run(parseArgs({ args: [...args], options, allowPositionals: true }), terminal);
    });
  const known: Readonly<Record<string, readonly string[] | undefined>> = choices;
  const names = Object.entries<Options[string]>({ ...options, ...helpOption }).map(([name, { type }]) => {
    return { name: `--${name}`, takesValue: type === 'string', choices: known[name] ?? [] };
  });
  const syntax = { options: names, actions, takesFiles: allowPositionals && actions.length === 0 };
  return Object.assign(runParsed, { syntax });
}

/**
 * `parseArgs` of `node:util`, with a suggestion for an unknown option. Throws {@link UsageError}, and what `parseArgs`
 * throws.
 */
function parseOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const [, option] = error instanceof Error ? (/^Unknown option '(-[^' ]*)/.exec(error.message) ?? []) : [];
    if (option === undefined) throw error;
    const known = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    throw new UsageError(withSuggestion(`Unknown option '${option}'.`, option, known));
  }
}
