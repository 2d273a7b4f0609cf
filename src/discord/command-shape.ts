import { isDeepStrictEqual } from 'node:util';
import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPatchAPIApplicationCommandJSONBody,
} from 'discord.js';
import { z } from 'zod';
import type { Command, CommandContext } from '../../commands/command.ts';

/**
 * The request body for a slash command. Discord takes the same body to create a command and, without the type, to edit
 * it.
 */
export type CommandBody = RESTPatchAPIApplicationCommandJSONBody & {
  readonly name: string;
  readonly description: string;
};

/** The body of a command for one scope: a guild, or global if `guildId` is null. */
export function bodyOf(
  command: Command,
  context: Pick<CommandContext, 'listings' | 'texts'>,
  guildId: string | null,
): CommandBody {
  const { description, options } = command.describe(context);
  return {
    name: command.name,
    description,
    options: options.map((option) => ({ required: false, ...option })),
    default_member_permissions:
      command.defaultMemberPermissions === undefined
        ? null
        : String(PermissionFlagsBits[command.defaultMemberPermissions]),
    // Discord stores these two for global commands only.
    ...(guildId === null
      ? { contexts: contextsOf(command), integration_types: [ApplicationIntegrationType.GuildInstall] }
      : {}),
  };
}

function contextsOf({ inDirectMessages = false }: Command): InteractionContextType[] {
  return [InteractionContextType.Guild, ...(inDirectMessages ? [InteractionContextType.BotDM] : [])];
}

const arrayOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
const nullableNumber = z
  .number()
  .nullish()
  .transform((value) => value ?? null);

/** The fields that a registration sets. Discord adds ids, versions and defaults. */
const comparable = z.object({
  name: z.string(),
  description: z.string(),
  contexts: arrayOf(z.number()),
  default_member_permissions: z
    .string()
    .nullish()
    .transform((value) => value ?? null),
  options: arrayOf(
    z.object({
      type: z.number(),
      name: z.string(),
      description: z.string(),
      required: z.boolean().default(false),
      autocomplete: z.boolean().default(false),
      choices: arrayOf(z.object({ name: z.string(), value: z.unknown() })),
      min_value: nullableNumber,
      max_value: nullableNumber,
      min_length: nullableNumber,
      max_length: nullableNumber,
    }),
  ),
});

/** A command in Discord's list. */
export const listedCommand = z.looseObject({
  id: z.string(),
  type: z.number().default(ApplicationCommandType.ChatInput),
  name: z.string(),
  description: z.string(),
});
export type ListedCommand = z.output<typeof listedCommand>;

/** Whether Discord's command equals `body`. */
export function hasBody(listed: ListedCommand, body: CommandBody): boolean {
  const expected = comparable.parse(body);
  const actual = comparable.parse(listed);
  // Discord lists contexts for a guild's commands too, but they cannot be set.
  const isGlobal = body.contexts !== undefined;
  return isDeepStrictEqual(isGlobal ? actual : { ...actual, contexts: [] }, expected);
}
