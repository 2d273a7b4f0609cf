import { DiscordAPIError } from '@discordjs/rest';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { DiscordRest } from '../rest.ts';
import {
  bodiesOf,
  hasBody,
  isDescribedAs,
  keyOf,
  type ListedCommand,
  type RegisteredCommand,
} from './command-shape.ts';
import { listCommands, type ReadOnlyRegistration, type Registration } from './registration.ts';

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
  /** They equal what we register, or are described in our words, in most of our languages. */
  readonly ours: readonly RegisteredCommand[];
  /** Another program may have registered them as well. */
  readonly unclear: readonly RegisteredCommand[];
}

/** Guilds that are searched when a program starts: each costs a request. */
export const maxGuildsAtStart = 20;
/** The same for a command that a person has started. */
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

/** What to do about a command whose origin is not known. */
export const unclearHint =
  'If it is of your own program, leave it. If an earlier tallyhook registered it, nothing answers it: delete it with `tallyhook register --delete ID`.';
