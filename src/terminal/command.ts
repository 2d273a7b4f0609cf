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
export type CliCommand = (args: readonly string[], terminal: Terminal) => Promise<number>;

/** Creates a command with the given options and `--help`. Unknown options are reported with a suggestion. */
export function command<const O extends Options>(definition: {
  readonly help: string;
  /** As for `parseArgs` of `node:util`. */
  readonly options: O;
  readonly allowPositionals?: boolean;
  readonly run: (parsed: ParsedArgs<O>, terminal: Terminal) => Promise<number>;
}): CliCommand {
  const { help, options, allowPositionals = false, run } = definition;
  return (args, terminal) =>
    runCommand(terminal, async () => {
      const config: ParseArgsConfig = { args: [...args], options: { ...options, ...helpOption }, allowPositionals };
      if (parseOptions(config).values['help'] === true) {
        terminal.print(help);
        return exitCode.ok;
      }
      // Parsed again with the exact type of the options. The arguments are already validated.
      return run(parseArgs({ args: [...args], options, allowPositionals: true }), terminal);
    });
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
