import { type CliCommand, command } from '../../platform/terminal/command.ts';
import { exitCode, UsageError, withSuggestion } from '../../platform/terminal/terminal.ts';
import { completionScripts, type Syntaxes } from './scripts.ts';

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
