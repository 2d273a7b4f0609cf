import type { Syntaxes } from './syntaxes.ts';

/** The completion script of zsh. It works in a file of its own in `fpath`, and read by `source`. */
export function zshScript(commands: Syntaxes): string {
  const names = [...commands.keys()].sort();
  const cases = names.map((name) => {
    const { options, actions, takesFiles } = commands.get(name) ?? { options: [], actions: [], takesFiles: false };
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
    compadd -- ${names.join(' ')} --help --version
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _tallyhook "$@"
else
  compdef _tallyhook tallyhook
fi
`;
}
