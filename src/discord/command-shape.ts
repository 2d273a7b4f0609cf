import { isDeepStrictEqual } from 'node:util';
import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPatchAPIApplicationCommandJSONBody,
} from 'discord.js';
import { z } from 'zod';
import type { Command, CommandContext } from '../../commands/command.ts';

const inGuilds = [InteractionContextType.Guild];

/** What we say about a slash command; Discord takes the same body for a new command and, without the type, for a change. */
export type CommandBody = RESTPatchAPIApplicationCommandJSONBody & {
  readonly name: string;
  readonly description: string;
};

/** The body of a command that is registered globally (`guildId` null) or in a guild. */
export function bodyOf(
  command: Command,
  services: Pick<CommandContext, 'listings' | 'texts'>,
  guildId: string | null,
): CommandBody {
  const { description, options } = command.describe(services);
  return {
    name: command.name,
    description,
    options: options.map((option) => ({ required: false, ...option })),
    // Discord keeps these two for global commands only; those of a guild are used in that guild anyway.
    ...(guildId === null ? { contexts: inGuilds, integration_types: [ApplicationIntegrationType.GuildInstall] } : {}),
  };
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

/** The fields that are ours to set. Discord adds ids, versions and defaults. */
const comparable = z.object({
  name: z.string(),
  description: z.string(),
  contexts: listOr(z.number()),
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

/** A command as Discord lists it. */
export const listedCommand = z.looseObject({
  id: z.string(),
  type: z.number().default(ApplicationCommandType.ChatInput),
  name: z.string(),
  description: z.string(),
});
export type ListedCommand = z.output<typeof listedCommand>;

/** Whether Discord has the command as `body` describes it. */
export function hasBody(listed: ListedCommand, body: CommandBody): boolean {
  const ours = comparable.parse(body);
  const theirs = comparable.parse(listed);
  // Discord lists contexts of a guild's command, too, but does not let us set them.
  const isGlobal = body.contexts !== undefined;
  return isDeepStrictEqual(isGlobal ? theirs : { ...theirs, contexts: [] }, ours);
}
