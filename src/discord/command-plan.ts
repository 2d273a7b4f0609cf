import { ApplicationCommandType } from 'discord.js';
import type { RegisteredCommand } from './command-registry.ts';
import { type CommandBody, hasBody, type ListedCommand } from './command-shape.ts';
import { isEarlierCommand } from './earlier-commands.ts';

/** A command of ours that Discord lists. */
export interface OwnedCommand {
  readonly id: string;
  readonly name: string;
}

/** How to get from what Discord lists in one scope (a guild or globally) to what is offered there. */
export interface CommandPlan {
  /** Ours by their shape, registered before ids were stored: their ids are to be stored before anything is done with them. */
  readonly adopt: readonly OwnedCommand[];
  readonly create: readonly CommandBody[];
  readonly update: readonly (OwnedCommand & { readonly body: CommandBody })[];
  readonly unchanged: readonly OwnedCommand[];
  /** Ours and no longer offered in this scope. */
  readonly delete: readonly OwnedCommand[];
  /** Stored ids that Discord no longer lists. */
  readonly forget: readonly string[];
  /** Offered, but another program has registered a command of that name, which is left alone. */
  readonly conflicts: readonly OwnedCommand[];
}

/**
 * Plans one scope. `stored` are the ids that are ours in it. Discord's "Create Command" overwrites a command of the same name, so a name
 * that another program uses is never created.
 */
export function planCommands(options: {
  readonly wanted: readonly CommandBody[];
  readonly listed: readonly ListedCommand[];
  readonly stored: readonly RegisteredCommand[];
}): CommandPlan {
  const { wanted, stored } = options;
  // A user or message command may have the same name as a slash command.
  const listed = options.listed.filter(({ type }) => type === ApplicationCommandType.ChatInput);
  const wantedBy = new Map(wanted.map((body) => [body.name, body]));
  const storedIds = new Set(stored.map(({ id }) => id));

  const isAdoptable = ({ id, name, description }: ListedCommand) =>
    !storedIds.has(id) && (wantedBy.get(name)?.description === description || isEarlierCommand({ name, description }));
  const adopt = listed.filter(isAdoptable);
  const own = listed.filter((command) => storedIds.has(command.id) || isAdoptable(command));
  const foreign = listed.filter((command) => !own.includes(command));

  const kept = own.flatMap((command) => {
    const body = wantedBy.get(command.name);
    return body === undefined ? [] : [{ command, body }];
  });
  const taken = new Set([...kept.map(({ command }) => command.name), ...foreign.map(({ name }) => name)]);
  const named = ({ id, name }: OwnedCommand): OwnedCommand => ({ id, name });
  return {
    adopt: adopt.map(named),
    create: wanted.filter(({ name }) => !taken.has(name)),
    update: kept
      .filter(({ command, body }) => !hasBody(command, body))
      .map(({ command, body }) => ({ ...named(command), body })),
    unchanged: kept.filter(({ command, body }) => hasBody(command, body)).map(({ command }) => named(command)),
    delete: own.filter(({ name }) => !wantedBy.has(name)).map(named),
    forget: stored.map(({ id }) => id).filter((id) => !listed.some((command) => command.id === id)),
    conflicts: foreign.filter(({ name }) => wantedBy.has(name)).map(named),
  };
}
