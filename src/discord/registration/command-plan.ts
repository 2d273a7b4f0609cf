import { ApplicationCommandType } from 'discord-api-types/v10';
import type { ApplicationCommandBody, NamedCommand } from '../commands/command.ts';
import type { StoredCommand } from './command-registry.ts';
import {
  hasBody,
  hasDefinition,
  isDescribedAs,
  isTranslatedAsOurs,
  keyOf,
  type ListedCommand,
} from './command-shape.ts';

/** A command in Discord's list. @category Commands */
export interface CommandReference extends NamedCommand {
  readonly id: string;
}

/** The changes that make Discord's list of one scope (a guild, or global) match the commands that are offered there. */
export interface CommandPlan {
  /**
   * Recognised as ours by their description, as those that a deploy script has put there: their ids are stored before
   * any change.
   */
  readonly adopt: readonly CommandReference[];
  readonly create: readonly ApplicationCommandBody[];
  readonly update: readonly (CommandReference & { readonly body: ApplicationCommandBody })[];
  readonly unchanged: readonly (CommandReference & { readonly body: ApplicationCommandBody })[];
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
  readonly offered: readonly ApplicationCommandBody[];
  readonly listed: readonly ListedCommand[];
  readonly stored: readonly StoredCommand[];
}): CommandPlan {
  const { offered, listed, stored } = options;
  const bodies = new Map(offered.map((body) => [keyOf(body), body]));
  const bodyFor = (command: ListedCommand) => bodies.get(keyOf(command));
  const definitions = new Map(stored.map(({ id, definition }) => [id, definition]));

  const isAdoptable = (command: ListedCommand) =>
    !definitions.has(command.id) && isOfDeployScript(command, bodyFor(command));
  const isAsRegistered = (command: ListedCommand) => {
    const definition = definitions.get(command.id);
    if (definition === undefined) return false;
    if (definition === null || hasDefinition(command, definition)) return true;
    // Another process has registered it, and not stored the definition yet.
    const body = bodyFor(command);
    return (body !== undefined && hasBody(command, body)) || isTranslatedAsOurs(command);
  };
  const ours = listed.filter((command) => isAsRegistered(command) || isAdoptable(command));
  const foreign = listed.filter((command) => !ours.includes(command));

  const matches = ours.flatMap((command) => {
    const body = bodyFor(command);
    return body === undefined ? [] : [{ command, body }];
  });
  const replaced = foreign.filter(({ id }) => definitions.has(id));
  const used = new Set([...matches.map(({ command }) => command), ...foreign].map(keyOf));
  return {
    adopt: listed.filter(isAdoptable).map(referenceOf),
    create: offered.filter((body) => !used.has(keyOf(body))),
    update: matches
      .filter(({ command, body }) => !hasBody(command, body))
      .map(({ command, body }) => ({ ...referenceOf(command), body })),
    unchanged: matches
      .filter(({ command, body }) => hasBody(command, body))
      .map(({ command, body }) => ({ ...referenceOf(command), body })),
    delete: ours.filter((command) => bodyFor(command) === undefined).map(referenceOf),
    forget: stored.map(({ id }) => id).filter((id) => !ours.some((command) => command.id === id)),
    replaced: replaced.map(referenceOf),
    foreign: foreign.map(referenceOf),
    conflicts: foreign
      .filter((command) => bodyFor(command) !== undefined || replaced.includes(command))
      .map(referenceOf),
  };
}

function referenceOf({ id, name, type }: ListedCommand): CommandReference {
  return type === ApplicationCommandType.ChatInput ? { id, name } : { id, name, type };
}

/** Whether a deploy script may have put the command there: it has our description or, in a menu, our translated names. */
function isOfDeployScript(command: ListedCommand, body: ApplicationCommandBody | undefined): boolean {
  if (body === undefined) return false;
  return 'description' in body ? body.description === command.description : isDescribedAs(command, body);
}
