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

/**
 * Tells Discord which commands there are, if that is not what it knows already: those that a configured key can serve, everywhere or on
 * one guild. Throws what {@link DiscordRest} throws.
 */
export async function registerCommands(options: {
  rest: DiscordRest;
  /** The gateway tells it; whoever has no connection asks for {@link ownApplicationId}. */
  applicationId: string;
  /** Null registers for every guild. */
  guildId: string | null;
  commands: readonly Command[];
  services: Pick<Services, 'listings' | 'texts'>;
}): Promise<'unchanged' | 'registered'> {
  const { rest, applicationId: id, guildId, commands, services } = options;
  const route = guildId === null ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guildId);
  const wanted = commands
    .filter((command) => command.isServedBy(services.listings))
    .map((command) => describe(command, services, guildId));
  if (isDeepStrictEqual(comparable(await rest.get(route), guildId), comparable(wanted, guildId))) return 'unchanged';
  await rest.put(route, wanted);
  return 'registered';
}

/** The id of the application that the token belongs to. Throws what {@link DiscordRest} throws. */
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
