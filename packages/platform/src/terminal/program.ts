import { Command, CommanderError } from 'commander';
import { exitCode, runCommand, type Terminal } from './terminal.ts';
import { maxColumns } from './wrap-lines.ts';

export { Argument, Option } from 'commander';

/** Texts beside the names of options are wrapped if there is room for this much (columns). */
const minTextColumns = 20;

/** The function of a command, with its options and arguments. Resolves with the exit code. */
export type Run<Options> = (options: Options, terminal: Terminal, args: readonly string[]) => Promise<number>;

/**
 * A program of the command line, or one of its commands: commander's, with help and errors on a {@link Terminal}, and exit
 * codes. Options and arguments are defined as for commander, and what a command does is loaded when it runs.
 */
export class Program extends Command {
  readonly #terminal: Terminal;
  #defaultCommand: string | undefined;
  #exitCode: number = exitCode.ok;

  constructor(name: string, terminal: Terminal) {
    super(name);
    this.#terminal = terminal;
    const columns = () => ('columns' in terminal.output && Number(terminal.output.columns)) || maxColumns;
    const helpWidth = () => Math.min(maxColumns, columns());
    this.configureOutput({
      writeOut: (text) => terminal.print(text.replace(/\n$/, '')),
      writeErr: (text) => terminal.printError(text.replace(/\n$/, '')),
      outputError: (text, write) => write(inSentences(text)),
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
    });
    this.configureHelp({ minWidthToWrap: minTextColumns });
    this.helpOption('-h, --help', 'print this help');
    this.exitOverride();
  }

  override createCommand(name = ''): Program {
    return new Program(name, this.#terminal);
  }

  /** The command that is meant if none is named. */
  defaultsTo(name: string): this {
    this.#defaultCommand = name;
    return this;
  }

  /** Adds paragraphs at the end of the help. A line that begins with "- " is one of its own. */
  details(text: string): this {
    const unwrapped = text.trim().replaceAll(/^[ \t]+/gm, '');
    const paragraphs = unwrapped.replaceAll(/(?<!\n)\n(?!\n|- )/g, ' ');
    const { getOutHelpWidth = () => maxColumns } = this.configureOutput();
    return this.addHelpText('after', () => `\n${this.createHelp().boxWrap(paragraphs, getOutHelpWidth())}`);
  }

  /** Sets what the command does. @param load is called when it runs */
  runs<Options extends object>(load: () => Promise<Run<Options>>): this {
    return this.action(async () => {
      this.#rejectOptionsAsValues();
      const run = await load();
      const terminal = this.#terminal;
      this.#endWith(await runCommand(terminal, () => run(this.opts<Options>(), terminal, this.args)));
    });
  }

  /** Ends the command and those that it is part of with an exit code. */
  #endWith(code: number): void {
    this.#exitCode = code;
    if (this.parent instanceof Program) this.parent.#endWith(code);
  }

  /** Runs a command line, and resolves with its exit code. Rejects only with unexpected errors. */
  run(args: readonly string[]): Promise<number> {
    return runCommand(this.#terminal, async () => {
      try {
        await this.parseAsync(this.#complete(args), { from: 'user' });
        return this.#exitCode;
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error;
        return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
      }
    });
  }

  /** The arguments with the names of default commands. */
  #complete(args: readonly string[]): string[] {
    const [word, ...others] = args;
    const next = this.commands.find((command) => command.name() === word);
    if (word !== undefined && next instanceof Program) return [word, ...next.#complete(others)];
    const isNamed = word !== undefined && (!word.startsWith('-') || globalOptions.includes(word));
    return isNamed || this.#defaultCommand === undefined ? [...args] : [this.#defaultCommand, ...args];
  }

  /** Rejects an option in the place of a value (`--out --json`): commander takes any text. */
  #rejectOptionsAsValues(): void {
    const names = this.options.map(({ long }) => long);
    const wrong = this.options.find((option) => names.includes(this.getOptionValue(option.attributeName())));
    if (wrong !== undefined) this.error(`error: option '${wrong.flags}' argument missing`);
  }
}

const globalOptions = ['-h', '--help', '-v', '--version'];

/** An error of commander in the form of all others. */
function inSentences(text: string): string {
  const message = text.trim().replace(/^error: /, '');
  const sentences = message.replace(/\.?\n\((.*)\)$/, '. $1').replace(/(?<![.?])$/, '.');
  return `${sentences.slice(0, 1).toUpperCase()}${sentences.slice(1)} See --help.`;
}

/** The words that can follow on a command line, for the completion of shells. @param words the last one is not finished, or empty */
export function completions(program: Command, words: readonly string[]): string[] {
  let command = program;
  for (const word of words.slice(0, -1)) command = command.commands.find((each) => each.name() === word) ?? command;
  const help = command.createHelp();
  const valued = command.options.find(({ long, required }) => required && long === words.at(-2));
  const candidates =
    valued === undefined
      ? [
          ...help.visibleCommands(command).map((each) => each.name()),
          ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
          ...help.visibleOptions(command).flatMap(({ long }) => long ?? []),
        ]
      : (valued.argChoices ?? []);
  return candidates.filter((each) => each.startsWith(words.at(-1) ?? ''));
}

/** The scripts by which shells complete the words of a program, which they ask: `PROGRAM complete -- WORD…`. */
export const completionScripts = {
  bash: (name: string) => `_${name}() {
  mapfile -t COMPREPLY < <(${name} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _${name} ${name}`,
  zsh: (name: string) => `#compdef ${name}
_${name}() {
  local found=("\${(@f)$(${name} complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ -n $found ]]; then compadd -a found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`,
  fish: (name: string) =>
    `complete -c ${name} -a '(${name} complete -- (commandline -opc)[2..] (commandline -ct) 2> /dev/null)'`,
  powershell: (name: string) => `Register-ArgumentCompleter -Native -CommandName ${name} -ScriptBlock {
  param($word, $line)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '' }
  ${name} complete '--' @words 2> $null
}`,
} as const;
