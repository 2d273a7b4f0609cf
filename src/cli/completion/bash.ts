import type { Syntaxes } from './syntaxes.ts';

/** The completion script of bash. It needs nothing but bash 4. */
export function bashScript(commands: Syntaxes): string {
  const names = [...commands.keys()].sort();
  const cases = names.map((name) => {
    const { options, actions, takesFiles } = commands.get(name) ?? { options: [], actions: [], takesFiles: false };
    const values = options
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ name: option, choices }) =>
          `        ${option}) words="${choices.join(' ')}"; files=${choices.length === 0 ? 1 : 0} ;;`,
      );
    return [
      `    ${name})`,
      '      case $previous in',
      ...values,
      `        *) words="${options.map((option) => option.name).join(' ')}"`,
      `          if ((position == 2)); then words="$words ${actions.join(' ')}"; fi`,
      `          files=${takesFiles ? 1 : 0} ;;`,
      '      esac ;;',
    ].join('\n');
  });
  return `# Completion of tallyhook for bash.
_tallyhook() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} position=$COMP_CWORD words= files=0
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${names.join(' ')} --help --version" -- "$current")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if ((files)) && [[ $current != -* ]]; then
    local found
    mapfile -t found < <(compgen -f -- "$current")
    COMPREPLY+=("\${found[@]}")
    compopt -o filenames 2> /dev/null
  fi
}
complete -F _tallyhook tallyhook
`;
}
