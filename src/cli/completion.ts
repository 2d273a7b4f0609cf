import { type CliCommand, type CommandSyntax, command } from '@tallyhook/platform/terminal/command';
import { exitCode, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';

/** The commands by name, in the order in which the shell lists them. */
type Syntaxes = ReadonlyMap<string, CommandSyntax>;

/** The completion scripts by shell. Each needs nothing but the shell, and does not start the program. */
const completionScripts: Readonly<Record<string, (commands: Syntaxes) => string>> = { bash, zsh, fish };

const shells = Object.keys(completionScripts);

const help = `tallyhook completion: print a script with which the shell completes commands, options and their values

Usage
  tallyhook completion bash|zsh|fish

To use it in
  bash   add to ~/.bashrc:   source <(tallyhook completion bash)
  zsh    add to ~/.zshrc, after compinit:   source <(tallyhook completion zsh)
  fish   run once:           tallyhook completion fish > ~/.config/fish/completions/tallyhook.fish

Options
  --help   print this help

Exit codes: 0 success, 2 invalid usage.`;

/** `tallyhook completion`. @param syntaxes loads the definitions of all other commands */
export function createCompletionCommand(syntaxes: () => Promise<Syntaxes>): CliCommand {
  return command({
    help,
    options: {},
    allowPositionals: true,
    actions: shells,
    async run({ positionals }, terminal) {
      const [shell = '', ...others] = positionals;
      if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
      const create = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
      if (create === undefined) {
        const message =
          shell === ''
            ? 'Specify the shell: bash, zsh or fish.'
            : `Unknown shell "${shell}": there are bash, zsh and fish.`;
        throw new UsageError(withSuggestion(message, shell, shells));
      }
      const commands = new Map(await syntaxes());
      commands.set('completion', { options: [], actions: shells, takesFiles: false });
      commands.set('help', { options: [], actions: [...commands.keys()].sort(), takesFiles: false });
      terminal.print(create(new Map([...commands].sort(([one], [other]) => (one < other ? -1 : 1)))));
      return exitCode.ok;
    },
  });
}

/** The lines of all commands. */
function perCommand(commands: Syntaxes, format: (name: string, syntax: CommandSyntax) => string | string[]): string {
  return [...commands].flatMap(([name, syntax]) => format(name, syntax)).join('\n');
}

const namesOf = (commands: Syntaxes) => [...commands.keys()].join(' ');

/** bash 4 and later. */
function bash(commands: Syntaxes): string {
  const cases = perCommand(commands, (name, { options, actions, takesFiles }) => [
    `    ${name})`,
    '      case $previous in',
    ...options
      .filter(({ takesValue }) => takesValue)
      .map(({ name: option, choices }) => {
        return `        ${option}) words="${choices.join(' ')}"; files=${choices.length === 0 ? 1 : 0} ;;`;
      }),
    `        *) words="${options.map((option) => option.name).join(' ')}"`,
    `          if ((position == 2)); then words="$words ${actions.join(' ')}"; fi`,
    `          files=${takesFiles ? 1 : 0} ;;`,
    '      esac ;;',
  ]);
  return `# Completion of tallyhook for bash.
_tallyhook() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} position=$COMP_CWORD words= files=0
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${namesOf(commands)} --help --version" -- "$current")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if ((files)) && [[ $current != -* ]]; then
    local found
    mapfile -t found < <(compgen -f -- "$current")
    COMPREPLY+=("\${found[@]}")
    compopt -o filenames 2> /dev/null
  fi
}
complete -F _tallyhook tallyhook`;
}

/** Works in a file of its own in `fpath`, and read by `source`. */
function zsh(commands: Syntaxes): string {
  const cases = perCommand(commands, (name, { options, actions, takesFiles }) => {
    const specs = options.map(({ name: option, takesValue, choices }) => {
      if (!takesValue) return `'${option}'`;
      return choices.length === 0 ? `'${option}:value:_files'` : `'${option}:value:(${choices.join(' ')})'`;
    });
    if (actions.length > 0) specs.push(`'1:action:(${actions.join(' ')})'`);
    if (takesFiles) specs.push(`'*:file:_files'`);
    return `    ${name}) _arguments ${specs.length === 0 ? "'--help'" : specs.join(' ')} ;;`;
  });
  return `#compdef tallyhook
# Completion of tallyhook for zsh.
_tallyhook() {
  if ((CURRENT == 2)); then
    compadd -- ${namesOf(commands)} --help --version
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _tallyhook "$@"
else
  compdef _tallyhook tallyhook
fi`;
}

function fish(commands: Syntaxes): string {
  const first = 'complete -c tallyhook -n __fish_use_subcommand';
  const lines = perCommand(commands, (name, { options, actions, takesFiles }) => {
    const when = `complete -c tallyhook -n '__fish_seen_subcommand_from ${name}'`;
    return [
      ...options.map(({ name: option, takesValue, choices }) => {
        const long = `${when} -l ${option.slice(2)}`;
        if (!takesValue) return long;
        return choices.length === 0 ? `${long} -r -F` : `${long} -x -a '${choices.join(' ')}'`;
      }),
      ...(actions.length > 0 ? [`${when} -a '${actions.join(' ')}'`] : []),
      ...(takesFiles ? [`${when} -F`] : []),
    ];
  });
  return `# Completion of tallyhook for fish.
complete -c tallyhook -f
${first} -a '${namesOf(commands)}'
${first} -l help
${first} -l version
${lines}`;
}
