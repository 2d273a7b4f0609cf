import type { OptionValue } from '../commands/reply.ts';

/** Discord: "Custom ID", 1 to 100 characters. */
const maxCustomIdLength = 100;
/** Prefix of all our custom ids: other programs with the same token have buttons, selects and modals of their own. */
const prefix = 'tallyhook:';
/** The custom ids of buttons that were posted before the prefix was introduced, in exactly their former format. */
const unprefixedId = /^reviews:sort=(?:newest|highest|lowest)&limit=\d{1,2}(?:&listing=[\w.-]{1,32})?&page=\d{1,2}$/;
const content = /^([a-z][a-z0-9_-]{0,31})(?:\/([a-z][a-z0-9-]{0,31}))?:(.*)$/s;

/** The content of the custom id of a component or modal: the command to run, and its options. */
export interface CustomId {
  readonly command: string;
  /** Null for a page button. */
  readonly action: string | null;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/**
 * `tallyhook:reviews:sort=newest&limit=12&page=2` or, with an action, `tallyhook:shop/buy:item=vip`: the id holds all
 * state of a component, so it works after a restart. Null if it would exceed 100 characters.
 */
export function encodeCustomId({ command, action, options }: CustomId): string | null {
  const pairs = Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]);
  const target = action === null ? command : `${command}/${action}`;
  const id = `${prefix}${target}:${new URLSearchParams(pairs).toString()}`;
  return id.length <= maxCustomIdLength ? id : null;
}

/** Whether a custom id has our format. It is untrusted: everyone who can post with the token can create one. */
export function isOwnCustomId(id: string): boolean {
  return id.startsWith(prefix) || unprefixedId.test(id);
}

/** Null for an id that is not ours. The options are untrusted strings. */
export function decodeCustomId(id: string): CustomId | null {
  if (!isOwnCustomId(id)) return null;
  const [, command, action = null, query] = content.exec(id.startsWith(prefix) ? id.slice(prefix.length) : id) ?? [];
  if (command === undefined || query === undefined) return null;
  return { command, action, options: Object.fromEntries(new URLSearchParams(query)) };
}
