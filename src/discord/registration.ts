import { ApplicationCommandType, DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import type { Command, CommandContext } from '../../commands/command.ts';
import { type CommandPlan, type OwnedCommand, planCommands } from './command-plan.ts';
import type { CommandRegistry, RegisteredCommand } from './command-registry.ts';
import { bodyOf, listedCommand } from './command-shape.ts';
import type { DiscordRest } from './rest.ts';

export interface Registration {
  readonly rest: DiscordRest;
  /** The gateway tells it; whoever has no connection asks for {@link ownApplicationId}. */
  readonly applicationId: string;
  /** Null registers for every guild. */
  readonly guildId: string | null;
  readonly commands: readonly Command[];
  readonly services: Pick<CommandContext, 'listings' | 'texts'>;
  readonly registry: Pick<CommandRegistry, 'list' | 'save' | 'remove'>;
}

type ReadOnlyRegistration = Omit<Registration, 'registry'> & { readonly registry: Pick<CommandRegistry, 'list'> };

/** What a registration did, by the names of the commands. */
export interface RegistrationReport {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly deleted: readonly string[];
  /** Commands of another program that have a name of ours; they were left alone, and ours are not offered. */
  readonly conflicts: readonly OwnedCommand[];
  /** Our commands in guilds that the bot can no longer access; they were left there. */
  readonly inaccessible: readonly RegisteredCommand[];
}

/**
 * Brings our slash commands up to date, everywhere or in one guild: those that a configured key can serve. Each is created, changed or
 * deleted by itself, because the bulk overwrite would delete those of other programs with the same token. Deletes what we registered in
 * another scope before. Throws what {@link DiscordRest} and {@link CommandRegistry} throw, and ZodError for an answer of another shape.
 */
export async function registerCommands(registration: Registration): Promise<RegistrationReport> {
  const { rest, applicationId, guildId, registry } = registration;
  const { plan, elsewhere } = await planRegistration(registration);
  const route = routeOf(applicationId, guildId);
  const save = ({ id, name }: OwnedCommand) => registry.save({ id, name, applicationId, guildId });

  for (const command of plan.adopt) await save(command);
  for (const id of plan.forget) await registry.remove(id);
  for (const { id } of plan.delete) await deleteCommand(registration, { id, guildId });
  for (const body of plan.create) {
    const { id, name } = listedCommand.parse(
      await rest.post(route, { type: ApplicationCommandType.ChatInput, ...body }),
    );
    await save({ id, name });
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

/** What {@link registerCommands} would find, for a check that changes nothing. Throws the same. */
export async function inspectRegistration(registration: ReadOnlyRegistration): Promise<{
  /** Discord has the commands as they are offered here, except for conflicts. */
  readonly isCurrent: boolean;
  readonly conflicts: readonly OwnedCommand[];
  /** Our commands in another scope, which the next registration deletes. */
  readonly elsewhere: readonly RegisteredCommand[];
}> {
  const { plan, elsewhere } = await planRegistration(registration);
  const isCurrent = plan.create.length + plan.update.length + plan.delete.length === 0;
  return { isCurrent, conflicts: plan.conflicts, elsewhere };
}

async function planRegistration(
  registration: ReadOnlyRegistration,
): Promise<{ plan: CommandPlan; elsewhere: readonly RegisteredCommand[] }> {
  const { rest, applicationId, guildId, commands, services, registry } = registration;
  const stored = await registry.list(applicationId);
  const listed = z.array(listedCommand).parse(await rest.get(routeOf(applicationId, guildId)));
  const plan = planCommands({
    wanted: commands
      .filter((command) => command.isServedBy(services.listings))
      .map((command) => bodyOf(command, services, guildId)),
    listed,
    stored: stored.filter((command) => command.guildId === guildId),
  });
  return { plan, elsewhere: stored.filter((command) => command.guildId !== guildId) };
}

/** Deletes one of our commands, which may be gone already. False where the bot can no longer access its guild. */
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

/** The id of the application that the token belongs to. Throws what {@link DiscordRest} throws, and ZodError. */
export async function ownApplicationId(rest: DiscordRest): Promise<string> {
  return z.object({ id: z.string() }).parse(await rest.get(Routes.currentApplication())).id;
}
