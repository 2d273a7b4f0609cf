import type { OptionValue } from '../../commands/command.ts';

/** Discord: "Custom ID", 1 to 100 characters. */
const longest = 100;
/** Begins every custom id of ours: other programs with the same token have buttons, selects and modals of their own. */
const prefix = 'tallyhook:';
/** The custom ids of buttons that were posted before there was a prefix, in the exact form that they had. */
const earlierId = /^reviews:sort=(?:newest|highest|lowest)&limit=\d{1,2}(?:&listing=[\w.-]{1,32})?&page=\d{1,2}$/;

/** What a page button brings back: the command that answers, and the options it is asked with. */
export interface CustomId {
  readonly command: string;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** `tallyhook:reviews:sort=newest&limit=12&page=2`: all of a button's memory is in its id. Null where that is more than Discord takes. */
export function encodeCustomId({ command, options }: CustomId): string | null {
  const pairs = Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]);
  const id = `${prefix}${command}:${new URLSearchParams(pairs).toString()}`;
  return id.length <= longest ? id : null;
}

/** Whether a custom id is one of ours. Anybody who can post with the token may have made it up. */
export function isOwnCustomId(id: string): boolean {
  return id.startsWith(prefix) || earlierId.test(id);
}

/** Null for an id that is none of ours. The options are strings that anybody may have made up. */
export function decodeCustomId(id: string): CustomId | null {
  if (!isOwnCustomId(id)) return null;
  const rest = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  const [, command, query] = /^([a-z][a-z0-9_-]{0,31}):(.*)$/s.exec(rest) ?? [];
  if (command === undefined || query === undefined) return null;
  return { command, options: Object.fromEntries(new URLSearchParams(query)) };
}
