import type { OptionValue } from '../../commands/command.ts';

/** Discord: "Custom ID", 1 to 100 characters. */
const longest = 100;

/** What a page button brings back: the command that answers, and the options it is asked with. */
export interface ButtonId {
  readonly command: string;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** `reviews:sort=newest&limit=12&page=2`: all of a button's memory is in its id. Null where that is more than Discord takes. */
export function writeButtonId({ command, options }: ButtonId): string | null {
  const pairs = Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]);
  const id = `${command}:${new URLSearchParams(pairs).toString()}`;
  return id.length <= longest ? id : null;
}

/** Null for an id that is none of ours. The options are strings that anybody may have made up. */
export function readButtonId(id: string): ButtonId | null {
  const [, command, query] = /^([a-z][a-z0-9_-]{0,31}):(.*)$/s.exec(id) ?? [];
  if (command === undefined || query === undefined) return null;
  return { command, options: Object.fromEntries(new URLSearchParams(query)) };
}
