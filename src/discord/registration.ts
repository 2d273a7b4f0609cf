import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import type { Command, CommandOption, Services } from '../../commands/command.ts';
import type { DiscordRest } from './rest.ts';

interface Registration {
  readonly rest: DiscordRest;
  /** The gateway tells it; whoever has no connection asks for {@link ownApplicationId}. */
  readonly applicationId: string;
  /** Null registers for every guild. */
  readonly guildId: string | null;
  readonly commands: readonly Command[];
  readonly services: Pick<Services, 'listings' | 'texts'>;
}

/**
 * Tells Discord which commands there are, if that is not what it knows already: those that a configured key can serve, everywhere or on
 * one guild. Throws what {@link DiscordRest} throws, and ZodError for an answer of another shape.
 */
export async function registerCommands(registration: Registration): Promise<'unchanged' | 'registered'> {
  const wanted = wantedOf(registration);
  if (await knows(registration, wanted)) return 'unchanged';
  await registration.rest.put(routeOf(registration), wanted);
  return 'registered';
}

/** Whether Discord knows the commands as they are. Throws what {@link registerCommands} throws. */
export function areRegistered(registration: Registration): Promise<boolean> {
  return knows(registration, wantedOf(registration));
}

async function knows(registration: Registration, wanted: ReturnType<typeof wantedOf>): Promise<boolean> {
  const { rest, guildId } = registration;
  const known = comparable(await rest.get(routeOf(registration)), guildId);
  return isDeepStrictEqual(known, comparable(wanted, guildId));
}

function routeOf({ applicationId: id, guildId }: Registration) {
  return guildId === null ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guildId);
}

function wantedOf({ commands, services, guildId }: Registration) {
  return commands
    .filter((command) => command.isServedBy(services.listings))
    .map((command) => describe(command, services, guildId));
}

/** The id of the application that the token belongs to. Throws what {@link registerCommands} throws. */
export async function ownApplicationId(rest: DiscordRest): Promise<string> {
  return z.object({ id: z.string() }).parse(await rest.get(Routes.currentApplication())).id;
}

const inGuilds = [InteractionContextType.Guild];

function describe(
  command: Command,
  services: Pick<Services, 'listings' | 'texts'>,
  guildId: string | null,
): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const { description, options } = command.describe(services);
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description,
    options: options.map(describeOption),
    // Discord keeps these two for global commands only; those of a guild are used in that guild anyway.
    ...(guildId === null ? { contexts: inGuilds, integration_types: [ApplicationIntegrationType.GuildInstall] } : {}),
  };
}

function describeOption(option: CommandOption): APIApplicationCommandOption {
  const said = { name: option.name, description: option.description, required: option.required ?? false };
  switch (option.type) {
    case 'string': {
      const choices = option.choices?.map(({ name, value }) => ({ name, value }));
      return { ...said, type: ApplicationCommandOptionType.String, ...(choices ? { choices } : {}) };
    }
    case 'integer': {
      const least = option.min === undefined ? {} : { min_value: option.min };
      const most = option.max === undefined ? {} : { max_value: option.max };
      return { ...said, type: ApplicationCommandOptionType.Integer, ...least, ...most };
    }
    case 'user':
      return { ...said, type: ApplicationCommandOptionType.User };
  }
}

const listOr = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
const limit = z
  .number()
  .nullish()
  .transform((value) => value ?? null);

/** What of a command is ours to say. Discord adds ids, versions and defaults. */
const registered = z.object({
  type: z.number().default(ApplicationCommandType.ChatInput),
  name: z.string(),
  description: z.string(),
  contexts: z
    .array(z.number())
    .nullish()
    // Whoever does not say where a command is used has not forgotten it; Discord always says so.
    .transform((contexts) => (contexts === undefined ? inGuilds : (contexts ?? []))),
  options: listOr(
    z.object({
      type: z.number(),
      name: z.string(),
      description: z.string(),
      required: z.boolean().default(false),
      choices: listOr(z.object({ name: z.string(), value: z.unknown() })),
      min_value: limit,
      max_value: limit,
    }),
  ),
});

/** Commands in a form that can be compared: Discord lists them in an order of its own. */
function comparable(commands: unknown, guildId: string | null): unknown {
  const listed = z.array(registered).parse(commands);
  const ours = guildId === null ? listed : listed.map(({ contexts: _everywhereInTheGuild, ...command }) => command);
  return ours.sort((a, b) => (a.name < b.name ? -1 : 1));
}
