import { DiscordAPIError } from '@discordjs/rest';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import {
  type ApplicationCommandBody,
  type CommandDefinition,
  isOffered,
  type RegistrationContext,
} from '../commands/command.ts';
import { hasCode } from '../discord-errors.ts';
import type { DiscordRest } from '../rest.ts';
import {
  bodiesOf,
  type CommandPlan,
  type CommandReference,
  type CommandRegistry,
  definitionOf,
  hasBody,
  isDescribedAs,
  keyOf,
  type ListedCommand,
  listedCommand,
  planCommands,
  type RegisteredCommand,
  type StoredCommand,
} from './command-shape.ts';

/** Discord lists translations only on request. Discord: "Get Global Application Commands". */
const withLocalizations = new URLSearchParams({ with_localizations: 'true' });

interface Offer {
  /** Null registers globally. */
  readonly guildId: string | null;
  readonly commands: readonly CommandDefinition[];
  /** The state of the app, with the listings of all communities. */
  readonly context: RegistrationContext;
}

export interface Registration extends Offer {
  readonly rest: DiscordRest;
  /** From the gateway connection, or from `fetchApplicationId` without one. */
  readonly applicationId: string;
  readonly registry: Pick<CommandRegistry, 'list' | 'save' | 'remove'>;
  /** Called with the id of each command as soon as Discord has it. */
  readonly onCreated?: (id: string) => void;
}

type ReadOnlyRegistration = Omit<Registration, 'registry'> & {
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
 * Updates our commands, globally or in one guild: those that a configured key can serve. Each command is created,
 * edited or deleted separately, because a bulk overwrite would delete the commands of other programs with the same
 * token. The list is read again after each change. Also deletes our commands in other scopes. Throws what {@link DiscordRest} and {@link CommandRegistry} throw,
 * and ZodError for a response of another shape.
 */
export async function registerCommands(registration: Registration, reading?: Reading): Promise<RegistrationReport> {
  const { rest, applicationId, guildId } = registration;
  const route = routeOf(applicationId, guildId);
  const { plan: firstPlan, stored } = reading ?? (await readCommands(registration));
  const [created, updated, deleted]: [string[], string[], string[]] = [[], [], []];

  const written = new Set<string>();
  async function write(plan: CommandPlan): Promise<boolean> {
    const old = plan.delete.find(({ id }) => !written.has(id));
    const body = plan.create.find((each) => !written.has(keyOf(each)));
    const changed = plan.update.find(({ id }) => !written.has(id));
    if (old !== undefined) {
      await deleteCommand(registration, { id: old.id, guildId });
      deleted.push(old.name);
    } else if (body !== undefined) {
      const command = listedCommand.parse(await rest.post(route, body));
      registration.onCreated?.(command.id);
      await saveCommand(registration, command, body);
      created.push(body.name);
    } else if (changed !== undefined) {
      // The type of a command cannot be changed.
      const { type: _type, ...changes } = changed.body;
      await rest.patch(`${route}/${changed.id}`, changes);
      await saveCommand(registration, changed, changed.body);
      updated.push(changed.name);
    }
    const next = old?.id ?? (body === undefined ? changed?.id : keyOf(body));
    if (next !== undefined) written.add(next);
    return next !== undefined;
  }
  // Another program may deploy its commands meanwhile, and what is written to one of these would replace it.
  let plan = firstPlan;
  while (await write(plan)) ({ plan } = await readCommands(registration));

  const elsewhere = stored.filter((command) => command.guildId !== guildId);
  const removed = await deleteElsewhere(registration, elsewhere);
  const inaccessible = removed.inaccessible.map(withoutDefinition);
  return {
    created,
    updated,
    unchanged: firstPlan.unchanged.map(({ name }) => name),
    deleted: [...deleted, ...removed.deleted],
    conflicts: [...new Map([...firstPlan.conflicts, ...plan.conflicts].map((each) => [each.id, each])).values()],
    inaccessible,
  };
}

/** The list of Discord in the scope of a registration, compared with what is stored and offered. */
export interface Reading {
  readonly plan: CommandPlan;
  readonly stored: readonly StoredCommand[];
}

/**
 * Reads Discord's list, and stores which of its commands are ours: those that a deploy script has put there are added,
 * and those in the place of which another program has registered its own are removed. Changes nothing at Discord. Throws
 * the same errors as {@link registerCommands}.
 */
export async function readCommands(registration: Registration): Promise<Reading> {
  const { registry } = registration;
  const reading = await planRegistration(registration);
  const { plan, stored } = reading;
  const isStored = (id: string, body: ApplicationCommandBody) =>
    stored.some((command) => command.id === id && command.definition === definitionOf(body));
  for (const command of plan.adopt) await saveCommand(registration, command, null);
  for (const id of plan.forget) await registry.remove(id);
  for (const command of plan.unchanged) {
    if (!isStored(command.id, command.body)) await saveCommand(registration, command, command.body);
  }
  return reading;
}

async function saveCommand(
  { applicationId, guildId, registry }: Registration,
  { id, name }: CommandReference,
  body: ApplicationCommandBody | null,
): Promise<void> {
  await registry.save({ id, name, applicationId, guildId, definition: body === null ? null : definitionOf(body) });
}

/** Commands that Discord would list after {@link registerCommands}, as the body of a request that replaces all of them. */
export function commandDataOf({ commands, context, guildId }: Offer): ApplicationCommandBody[] {
  const offered = commands.filter((command) => isOffered(command, context));
  return offered.flatMap((command) => bodiesOf(command, context, guildId));
}

/** Reports what {@link registerCommands} would change, without changing anything. Throws its errors. */
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

/** The list is read again after each change. */
const offeredBy = memoizeOne(commandDataOf);

async function planRegistration(registration: ReadOnlyRegistration): Promise<Reading> {
  const { guildId, applicationId, registry } = registration;
  const stored = await registry.list(applicationId);
  const offered = offeredBy(registration);
  return { plan: planCommands({ offered, ...(await commandsIn(guildId, stored, registration)) }), stored };
}

async function commandsIn(
  guildId: string | null,
  stored: readonly StoredCommand[],
  { rest, applicationId }: Pick<Registration, 'rest' | 'applicationId'>,
) {
  const listed = await listCommands(guildId, { rest, applicationId });
  return { listed, stored: stored.filter((each) => each.guildId === guildId) };
}

/** The commands in a scope, whoever registered them. Throws what {@link DiscordRest} throws, and ZodError. */
async function listCommands(
  guildId: string | null,
  { rest, applicationId }: Pick<Registration, 'rest' | 'applicationId'>,
): Promise<readonly ListedCommand[]> {
  return z.array(listedCommand).parse(await rest.get(routeOf(applicationId, guildId), withLocalizations));
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
      if (hasCode(error, RESTJSONErrorCodes.MissingAccess)) return null;
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
    if (hasCode(error, RESTJSONErrorCodes.MissingAccess)) return false;
    if (!hasCode(error, RESTJSONErrorCodes.UnknownApplicationCommand)) throw error;
  }
  await registry.remove(id);
  return true;
}

function routeOf(applicationId: string, guildId: string | null) {
  return guildId === null
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}

/*
 * Commands that tallyhook has registered in another scope with another database: an earlier run was for one guild, and this
 * one is for all, or the reverse. Members see them beside the present ones, and their ids are not in the registry.
 */

/** Where a command is registered: the id of a guild, or null for all of them. */
export type CommandScope = string | null;

/** `globally` or `in guild 613…`. */
export function formatScope(scope: CommandScope): string {
  return scope === null ? 'globally' : `in guild ${scope}`;
}

/** `/credits`, or `Credits` in a menu: the name of a slash command has no capitals and spaces. */
export function formatCommand(name: string): string {
  return name === name.toLowerCase() && !name.includes(' ') ? `/${name}` : name;
}

/** Commands in other scopes that have names of ours, and ids that are not stored. */
export interface EarlierCommands {
  /** The commands that equal what we register, or are described in our words, in most of our languages. */
  readonly ours: readonly RegisteredCommand[];
  /** Another program may have registered them as well. */
  readonly unclear: readonly RegisteredCommand[];
}

/** Guilds that are searched when a program starts: each costs a request. */
export const maxGuildsAtStart = 20;
/** Guilds that are searched for a command of the command line, which a person waits for. */
export const maxGuildsOnRequest = 100;

/**
 * All scopes of a bot in at most so many guilds; otherwise those of the guilds that are known to matter. Throws what
 * {@link DiscordRest} throws.
 */
export async function scopesToSearch(
  rest: Pick<DiscordRest, 'get'>,
  known: readonly string[],
  maxGuilds: number,
): Promise<readonly CommandScope[]> {
  const query = new URLSearchParams({ limit: String(maxGuilds + 1) });
  const joined = z.array(z.object({ id: z.string() })).parse(await rest.get(Routes.userGuilds(), query));
  const ids = joined.length > maxGuilds ? [...new Set(known)].slice(0, maxGuilds) : joined.map(({ id }) => id);
  return [null, ...ids];
}

/** Finds them, and changes nothing. Throws what {@link DiscordRest} throws, and ZodError. */
export async function findEarlierCommands(
  registration: ReadOnlyRegistration,
  scopes: readonly CommandScope[],
): Promise<EarlierCommands> {
  const { applicationId, guildId, commands, context, registry } = registration;
  const stored = new Set((await registry.list(applicationId)).map(({ id }) => id));
  const others = scopes.filter((scope) => scope !== guildId);
  const found = await Promise.all(
    others.map(async (scope) => {
      const bodies = commands.flatMap((command) => bodiesOf(command, context, scope));
      return (await accessibleCommands(scope, registration)).flatMap((listed) => {
        const body = bodies.find((each) => keyOf(each) === keyOf(listed));
        if (body === undefined || stored.has(listed.id)) return [];
        const { id, name } = listed;
        // Options and permissions differ between versions and settings. What describes it in all languages does not.
        const isOurs = hasBody(listed, body) || isDescribedAs(listed, body);
        return [{ reference: { id, applicationId, guildId: scope, name }, isOurs }];
      });
    }),
  );
  const [ours, unclear] = [true, false].map((isOurs) =>
    found.flat().flatMap((each) => (each.isOurs === isOurs ? [each.reference] : [])),
  );
  return { ours: ours ?? [], unclear: unclear ?? [] };
}

/**
 * Stores those that are ours, so that they are answered, and the next registration deletes them. Throws what
 * {@link findEarlierCommands} and the registry throw.
 * @param chosen ids of unclear ones that are ours, as the operator says
 */
export async function adoptEarlierCommands(
  registration: Registration,
  scopes: readonly CommandScope[],
  chosen: readonly string[] = [],
): Promise<EarlierCommands> {
  const { ours, unclear } = await findEarlierCommands(registration, scopes);
  const adopted = [...ours, ...unclear.filter(({ id }) => chosen.includes(id))];
  for (const command of adopted) await registration.registry.save({ ...command, definition: null });
  return { ours: adopted, unclear: unclear.filter(({ id }) => !chosen.includes(id)) };
}

/** None in a guild that the bot is not in, or that has not let it register commands. */
async function accessibleCommands(
  scope: CommandScope,
  registration: Pick<Registration, 'rest' | 'applicationId'>,
): Promise<readonly ListedCommand[]> {
  try {
    return await listCommands(scope, registration);
  } catch (error) {
    if (error instanceof DiscordAPIError && error.status !== 401) return [];
    throw error;
  }
}

/** Hint for a command whose origin is not known. */
export const unclearHint =
  'If it is of your own program, leave it. If an earlier tallyhook registered it, nothing answers it: delete it with `tallyhook register --delete ID`.';
