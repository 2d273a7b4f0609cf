import { ApplicationCommandType, DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import { type CommandData, type CommandDefinition, type DescriptionContext, isOffered } from '../commands/command.ts';
import type { DiscordRest } from '../rest.ts';
import { type CommandPlan, type CommandReference, planCommands } from './command-plan.ts';
import type { CommandRegistry, RegisteredCommand, StoredCommand } from './command-registry.ts';
import { bodyOf, definitionOf, type ListedCommand, listedCommand } from './command-shape.ts';

/** Discord lists translations only on request. Discord: "Get Global Application Commands". */
const withLocalizations = new URLSearchParams({ with_localizations: 'true' });

/** The commands of one scope. */
export interface Offer {
  /** Null registers globally. */
  readonly guildId: string | null;
  readonly commands: readonly CommandDefinition[];
  /** With the listings of all communities. */
  readonly context: Omit<DescriptionContext, 'texts'>;
}

export interface Registration extends Offer {
  readonly rest: DiscordRest;
  /** From the gateway connection, or from `fetchApplicationId` without one. */
  readonly applicationId: string;
  readonly registry: Pick<CommandRegistry, 'list' | 'save' | 'remove'>;
}

export type ReadOnlyRegistration = Omit<Registration, 'registry'> & {
  readonly registry: Pick<CommandRegistry, 'list'>;
};

/** The result of a registration, by the names of the commands. @category Commands */
export interface RegistrationReport {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
  /**
   * Commands of another program with the name of one of ours, or in the place of one that was ours; they were not
   * changed, and ours are not offered.
   */
  readonly conflicts: readonly CommandReference[];
  /** Our commands in guilds that the bot can no longer access; they were not deleted. */
  readonly inaccessible: readonly RegisteredCommand[];
}

/**
 * Updates our slash commands, globally or in one guild: those that a configured key can serve. Each command is created,
 * edited or deleted separately, because a bulk overwrite would delete the commands of other programs with the same
 * token. Also deletes our commands in other scopes. Throws what {@link DiscordRest} and {@link CommandRegistry} throw,
 * and ZodError for a response of another shape.
 */
export async function registerCommands(registration: Registration): Promise<RegistrationReport> {
  const { rest, applicationId, guildId, registry } = registration;
  const { plan, stored } = await planRegistration(registration);
  const route = routeOf(applicationId, guildId);
  const save = ({ id, name }: CommandReference, body: CommandData | null) => {
    const definition = body === null ? null : definitionOf(body);
    return registry.save({ id, name, applicationId, guildId, definition });
  };
  const isStored = (id: string, body: CommandData) =>
    stored.some((command) => command.id === id && command.definition === definitionOf(body));

  for (const command of plan.adopt) await save(command, null);
  for (const id of plan.forget) await registry.remove(id);
  for (const { id } of plan.delete) await deleteCommand(registration, { id, guildId });
  for (const body of plan.create) {
    const response = await rest.post(route, { type: ApplicationCommandType.ChatInput, ...body });
    await save(listedCommand.parse(response), body);
  }
  for (const { id, name, body } of plan.update) {
    await rest.patch(`${route}/${id}`, body);
    await save({ id, name }, body);
  }
  for (const { id, name, body } of plan.unchanged) if (!isStored(id, body)) await save({ id, name }, body);

  const deleted = plan.delete.map(({ name }) => name);
  const elsewhere = stored.filter((command) => command.guildId !== guildId);
  const removed = await deleteElsewhere(registration, elsewhere);
  const inaccessible = removed.inaccessible.map(withoutDefinition);
  return {
    created: plan.create.map(({ name }) => name),
    updated: plan.update.map(({ name }) => name),
    unchanged: plan.unchanged.map(({ name }) => name),
    deleted: [...deleted, ...removed.deleted],
    conflicts: plan.conflicts,
    inaccessible,
  };
}

/** What Discord would list after {@link registerCommands}, as the body of a request that replaces all commands. */
export function commandDataOf(offer: Offer): CommandData[] {
  return offeredCommands(offer).map((body) => ({ type: ApplicationCommandType.ChatInput, ...body }));
}

function offeredCommands({ commands, context, guildId }: Offer): readonly CommandData[] {
  return commands.filter((command) => isOffered(command, context)).map((command) => bodyOf(command, context, guildId));
}

/** What {@link registerCommands} would change, without changing anything. Throws the same errors. */
export async function inspectRegistration(registration: ReadOnlyRegistration): Promise<{
  /** Discord has the commands as offered, except for conflicts. */
  readonly isCurrent: boolean;
  /** Discord has what was last registered, if anything was. */
  readonly isAsStored: boolean;
  readonly conflicts: readonly CommandReference[];
  /** Our commands in other scopes, which the next registration deletes. */
  readonly elsewhere: readonly RegisteredCommand[];
}> {
  const { plan, stored } = await planRegistration(registration);
  const isCurrent = plan.create.length + plan.update.length + plan.delete.length === 0;
  const elsewhere = stored.filter(({ guildId }) => guildId !== registration.guildId).map(withoutDefinition);
  const missing = plan.forget.filter((id) => !plan.replaced.some((command) => command.id === id));
  const isAsStored = elsewhere.length < stored.length && missing.length === 0;
  return { isCurrent, isAsStored, conflicts: plan.conflicts, elsewhere };
}

/**
 * Removes from the registry, and returns, the commands in the place of which another program has registered its own.
 * Changes nothing at Discord. Throws the same errors as {@link registerCommands}.
 */
export async function forgetReplacedCommands(registration: Registration): Promise<readonly CommandReference[]> {
  const { plan } = await planRegistration(registration);
  for (const { id } of plan.replaced) await registration.registry.remove(id);
  return plan.replaced;
}

async function planRegistration(
  registration: ReadOnlyRegistration,
): Promise<{ plan: CommandPlan; stored: readonly StoredCommand[] }> {
  const { guildId, applicationId, registry } = registration;
  const stored = await registry.list(applicationId);
  const offered = offeredCommands(registration);
  return { plan: planCommands({ offered, ...(await commandsIn(guildId, stored, registration)) }), stored };
}

/** What Discord lists in a scope, and what is stored of it. */
async function commandsIn(
  guildId: string | null,
  stored: readonly StoredCommand[],
  { rest, applicationId }: Pick<Registration, 'rest' | 'applicationId'>,
) {
  const listed = await listCommands(guildId, { rest, applicationId });
  return { listed, stored: stored.filter((each) => each.guildId === guildId) };
}

/** The slash commands in a scope, whoever registered them. Throws what {@link DiscordRest} throws, and ZodError. */
export async function listCommands(
  guildId: string | null,
  { rest, applicationId }: Pick<Registration, 'rest' | 'applicationId'>,
): Promise<readonly ListedCommand[]> {
  const listed = z.array(listedCommand).parse(await rest.get(routeOf(applicationId, guildId), withLocalizations));
  // A user or message command may have the same name as a slash command.
  return listed.filter(({ type }) => type === ApplicationCommandType.ChatInput);
}

/** Deletes our commands in other scopes, as far as they are still ours. */
async function deleteElsewhere(
  registration: Registration,
  stored: readonly StoredCommand[],
): Promise<{ readonly deleted: readonly string[]; readonly inaccessible: readonly StoredCommand[] }> {
  const deleted: string[] = [];
  const inaccessible: StoredCommand[] = [];
  for (const guildId of new Set(stored.map((command) => command.guildId))) {
    const inScope = stored.filter((command) => command.guildId === guildId);
    const listed = await commandsIn(guildId, stored, registration).catch((error: unknown) => {
      if (error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.MissingAccess) return null;
      throw error;
    });
    if (listed === null) {
      inaccessible.push(...inScope);
      continue;
    }
    const { replaced } = planCommands({ offered: [], ...listed });
    for (const command of inScope) {
      if (replaced.some(({ id }) => id === command.id)) await registration.registry.remove(command.id);
      else if (await deleteCommand(registration, command)) deleted.push(command.name);
      else inaccessible.push(command);
    }
  }
  return { deleted, inaccessible };
}

function withoutDefinition({ definition: _definition, ...command }: StoredCommand): RegisteredCommand {
  return command;
}

/** Deletes one of our commands, which may not exist any more. False if the bot can no longer access its guild. */
async function deleteCommand(
  { rest, applicationId, registry }: Registration,
  { id, guildId }: Pick<StoredCommand, 'id' | 'guildId'>,
): Promise<boolean> {
  try {
    await rest.delete(`${routeOf(applicationId, guildId)}/${id}`);
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    if (error.code === RESTJSONErrorCodes.MissingAccess) return false;
    if (error.code !== RESTJSONErrorCodes.UnknownApplicationCommand) throw error;
  }
  await registry.remove(id);
  return true;
}

function routeOf(applicationId: string, guildId: string | null) {
  return guildId === null
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}
