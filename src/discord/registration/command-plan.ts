import { ApplicationCommandType } from 'discord.js';
import type { CommandData } from '../commands/command.ts';
import type { StoredCommand } from './command-registry.ts';
import { hasBody, hasDefinition, isTranslatedAsOurs, type ListedCommand } from './command-shape.ts';

/** A command in Discord's list. @category Commands */
export interface CommandReference {
  readonly id: string;
  readonly name: string;
}

/** The changes that make Discord's list of one scope (a guild, or global) match the commands that are offered there. */
export interface CommandPlan {
  /**
   * Recognised as ours by their description, put there by a deploy script, or registered before ids were stored: their ids
   * are stored before any change.
   */
  readonly adopt: readonly CommandReference[];
  readonly create: readonly CommandData[];
  readonly update: readonly (CommandReference & { readonly body: CommandData })[];
  readonly unchanged: readonly (CommandReference & { readonly body: CommandData })[];
  /** Ours, but no longer offered in this scope. */
  readonly delete: readonly CommandReference[];
  /** Stored ids that Discord no longer lists, or of which another program has made a command of its own. */
  readonly forget: readonly string[];
  /** Those of {@link forget} that Discord lists. */
  readonly replaced: readonly CommandReference[];
  /** All commands of other programs that Discord lists. */
  readonly foreign: readonly CommandReference[];
  /** Those of {@link foreign} with the name of an offered one, and {@link replaced} ones; they are not changed. */
  readonly conflicts: readonly CommandReference[];
}

/**
 * Plans one scope; `stored` are our commands in it. A name that another program uses is never created, because
 * Discord's "Create Command" overwrites a command of the same name. A stored id alone does not make a command ours: a
 * program that replaces the whole list ("Bulk Overwrite") puts its command of the same name in the place of ours, with
 * our id.
 */
export function planCommands(options: {
  readonly offered: readonly CommandData[];
  readonly listed: readonly ListedCommand[];
  readonly stored: readonly StoredCommand[];
}): CommandPlan {
  const { offered, stored } = options;
  // A user or message command may have the same name as a slash command.
  const listed = options.listed.filter(({ type }) => type === ApplicationCommandType.ChatInput);
  const bodies = new Map(offered.map((body) => [body.name, body]));
  const definitions = new Map(stored.map(({ id, definition }) => [id, definition]));

  const isAdoptable = ({ id, name, description }: ListedCommand) =>
    !definitions.has(id) && (bodies.get(name)?.description === description || isEarlierCommand({ name, description }));
  const isAsRegistered = (command: ListedCommand) => {
    const definition = definitions.get(command.id);
    if (definition === undefined) return false;
    if (definition === null || hasDefinition(command, definition)) return true;
    // Another process has registered it, and not stored the definition yet, or is of a version that stores none.
    const body = bodies.get(command.name);
    return (body !== undefined && hasBody(command, body)) || isTranslatedAsOurs(command);
  };
  const ours = listed.filter((command) => isAsRegistered(command) || isAdoptable(command));
  const foreign = listed.filter((command) => !ours.includes(command));

  const matches = ours.flatMap((command) => {
    const body = bodies.get(command.name);
    return body === undefined ? [] : [{ command, body }];
  });
  const replaced = foreign.filter(({ id }) => definitions.has(id));
  const usedNames = new Set([...matches.map(({ command }) => command.name), ...foreign.map(({ name }) => name)]);
  return {
    adopt: listed.filter(isAdoptable).map(referenceOf),
    create: offered.filter(({ name }) => !usedNames.has(name)),
    update: matches
      .filter(({ command, body }) => !hasBody(command, body))
      .map(({ command, body }) => ({ ...referenceOf(command), body })),
    unchanged: matches
      .filter(({ command, body }) => hasBody(command, body))
      .map(({ command, body }) => ({ ...referenceOf(command), body })),
    delete: ours.filter(({ name }) => !bodies.has(name)).map(referenceOf),
    forget: stored.map(({ id }) => id).filter((id) => !ours.some((command) => command.id === id)),
    replaced: replaced.map(referenceOf),
    foreign: foreign.map(referenceOf),
    conflicts: foreign.filter((command) => bodies.has(command.name) || replaced.includes(command)).map(referenceOf),
  };
}

function referenceOf({ id, name }: ListedCommand): CommandReference {
  return { id, name };
}

/**
 * All descriptions of the commands that were registered before ids were stored. This list is final: later commands are
 * recognised by their ids.
 */
const earlierDescriptions: Readonly<Record<string, readonly string[]>> = {
  canvote: ['See whether you can vote, or when you can vote again.'],
  reviews: ['Read what people say about this server.'],
  stats: ['See the profile of the server or bot, with its votes.'],
};

/**
 * Whether an earlier version registered a command without a stored id. No other program uses this name with this
 * description.
 */
function isEarlierCommand({ name, description }: { name: string; description: string }): boolean {
  return Object.hasOwn(earlierDescriptions, name) && earlierDescriptions[name]?.includes(description) === true;
}
