import { ApplicationCommandType, DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import type { Command, DescriptionContext } from '../../../commands/command.ts';
import type { DiscordRest } from '../rest.ts';
import { type CommandPlan, type CommandReference, planCommands } from './command-plan.ts';
import type { CommandRegistry, RegisteredCommand } from './command-registry.ts';
import { bodyOf, listedCommand } from './command-shape.ts';

/** Discord lists translations only on request. Discord: "Get Global Application Commands". */
const withLocalizations = new URLSearchParams({ with_localizations: 'true' });

export interface Registration {
  readonly rest: DiscordRest;
  /** From the gateway connection, or from `fetchApplicationId` without one. */
  readonly applicationId: string;
  /** Null registers globally. */
  readonly guildId: string | null;
  readonly commands: readonly Command[];
  /** With the listings of all communities. */
  readonly context: Omit<DescriptionContext, 'texts'>;
  readonly registry: Pick<CommandRegistry, 'list' | 'save' | 'remove'>;
}

type ReadOnlyRegistration = Omit<Registration, 'registry'> & { readonly registry: Pick<CommandRegistry, 'list'> };

/** The result of a registration, by the names of the commands. */
export interface RegistrationReport {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
  /** Commands of another program with the name of one of ours; they were not changed, and ours are not offered. */
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
  const { plan, elsewhere } = await planRegistration(registration);
  const route = routeOf(applicationId, guildId);
  const save = ({ id, name }: CommandReference) => registry.save({ id, name, applicationId, guildId });

  for (const command of plan.adopt) await save(command);
  for (const id of plan.forget) await registry.remove(id);
  for (const { id } of plan.delete) await deleteCommand(registration, { id, guildId });
  for (const body of plan.create) {
    const response = await rest.post(route, { type: ApplicationCommandType.ChatInput, ...body });
    await save(listedCommand.parse(response));
  }
  for (const { id, body } of plan.update) await rest.patch(`${route}/${id}`, body);

  const deleted = plan.delete.map(({ name }) => name);
  const inaccessible: RegisteredCommand[] = [];
  for (const command of elsewhere) {
    if (await deleteCommand(registration, command)) deleted.push(command.name);
    else inaccessible.push(command);
  }
  return {
    created: plan.create.map(({ name }) => name),
    updated: plan.update.map(({ name }) => name),
    unchanged: plan.unchanged.map(({ name }) => name),
    deleted,
    conflicts: plan.conflicts,
    inaccessible,
  };
}

/** What {@link registerCommands} would change, without changing anything. Throws the same errors. */
export async function inspectRegistration(registration: ReadOnlyRegistration): Promise<{
  /** Discord has the commands as offered, except for conflicts. */
  readonly isCurrent: boolean;
  readonly conflicts: readonly CommandReference[];
  /** Our commands in other scopes, which the next registration deletes. */
  readonly elsewhere: readonly RegisteredCommand[];
}> {
  const { plan, elsewhere } = await planRegistration(registration);
  const isCurrent = plan.create.length + plan.update.length + plan.delete.length === 0;
  return { isCurrent, conflicts: plan.conflicts, elsewhere };
}

async function planRegistration(
  registration: ReadOnlyRegistration,
): Promise<{ plan: CommandPlan; elsewhere: readonly RegisteredCommand[] }> {
  const { rest, applicationId, guildId, commands, context, registry } = registration;
  const storedCommands = await registry.list(applicationId);
  const listedCommands = z
    .array(listedCommand)
    .parse(await rest.get(routeOf(applicationId, guildId), withLocalizations));
  const plan = planCommands({
    offered: commands
      .filter((command) => command.isServedBy(context.listings))
      .map((command) => bodyOf(command, context, guildId)),
    listed: listedCommands,
    stored: storedCommands.filter((command) => command.guildId === guildId),
  });
  return { plan, elsewhere: storedCommands.filter((command) => command.guildId !== guildId) };
}

/** Deletes one of our commands, which may not exist any more. False if the bot can no longer access its guild. */
async function deleteCommand(
  { rest, applicationId, registry }: Registration,
  { id, guildId }: Pick<RegisteredCommand, 'id' | 'guildId'>,
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
