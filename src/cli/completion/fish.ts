import type { Syntaxes } from './syntaxes.ts';

/** The completion script of fish. */
export function fishScript(commands: Syntaxes): string {
  const names = [...commands.keys()].sort();
  const lines = names.flatMap((name) => {
    const { options, actions, takesFiles } = commands.get(name) ?? { options: [], actions: [], takesFiles: false };
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
  return [
    '# Completion of tallyhook for fish.',
    'complete -c tallyhook -f',
    `complete -c tallyhook -n __fish_use_subcommand -a '${names.join(' ')}'`,
    'complete -c tallyhook -n __fish_use_subcommand -l help',
    'complete -c tallyhook -n __fish_use_subcommand -l version',
    ...lines,
  ].join('\n');
}
