import type { Clock } from '@tallyhook/platform/clock';
import { closest } from '@tallyhook/platform/did-you-mean';
import { TallyhookError } from '@tallyhook/platform/errors';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { checkOptions } from '@tallyhook/platform/options';
import type { Locale } from '@tallyhook/platform/texts/locale';
import { InteractionContextType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Ledger } from '../src/core/ledger/program-ledger.ts';
import type { Standings } from '../src/core/ledger/standing.ts';
import {
  bodyOfNative,
  type CommandChoice,
  type CommandInput,
  type CommandOption,
  type CompletionInput,
  functionsOfNative,
  type ListedLookup,
  menuNameOf,
  type NativeCommand,
} from '../src/discord/commands/command.ts';
import type { Modal, Panel, Reply } from '../src/discord/commands/reply.ts';
import type { CoveredCommunity, ListedRules } from '../src/features/communities/listings.ts';
import type { Awards } from '../src/features/corrections/awards.ts';
import { ownTexts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';
import { commands as builtIn } from './index.ts';

/** The context in which the description of a custom slash command is built. @category Commands */
export interface CustomDescriptionContext {
  readonly listings: readonly ListedLookup[];
  /** True if several communities share the program. */
  readonly isShared: boolean;
  /** The language of the description: it is called once for each. */
  readonly texts: { readonly locale: Locale };
}

/** The context of a custom slash command: the stable part of the context of tallyhook's own. @category Commands */
export interface CustomCommandContext extends CustomDescriptionContext {
  /**
   * The communities whose accounts the command covers: that of the guild, or those in which the member has an account.
   * Null if the program has only one community, which every guild has then.
   */
  readonly communities: readonly CoveredCommunity[] | null;
  readonly clock: Clock;
  /** The id of a command on Discord; null before its registration. */
  readonly commandId: (name: string) => string | null;
  /** The app's ledger: balances and their changes, by default in the first configured community. */
  readonly ledger: Ledger;
  /** Null where managers may not change accounts. */
  readonly awards: Awards | null;
  /** The standings of the first of the communities. */
  readonly standings: Standings;
  /** The rules of each listing of the community. */
  readonly rules: readonly ListedRules[];
}

/**
 * A slash command of the package's user. It is registered, run and answered as tallyhook's own.
 * @category Commands
 * @example
 * ```ts
 * import { type CustomCommand, markup } from 'tallyhook/discord';
 *
 * const ping: CustomCommand = {
 *   name: 'ping',
 *   visibility: 'private',
 *   describe: () => ({ description: 'Replies with Pong.', options: [] }),
 *   execute: async () => ({ tone: 'good', text: markup`Pong!` }),
 * };
 * ```
 */
export interface CustomCommand {
  /** 1 to 32 lower-case letters, digits, hyphens and underscores. */
  readonly name: string;
  /** Who sees the reply: only the member who ran the command (ephemeral), or everyone in the channel. */
  readonly visibility: 'private' | 'public';
  /** True if its replies have page buttons. Default: false. */
  readonly hasPages?: boolean;
  /** The actions of its buttons, selects and modals: lower-case letters and digits, with `-`. */
  readonly actions?: readonly string[];
  /** Where it can be run. `everywhere`: also in direct messages. Default: only in guilds that have the app. */
  readonly availability?: 'everywhere';
  /** The permission that a member needs: Manage Server. */
  readonly defaultMemberPermissions?: 'ManageGuild';
  /** True if it can be used in a guild without a listing, while other guilds have some. Default: false. */
  readonly worksWithoutListing?: true;
  /** True if these listings support it; if not, it is not registered. By default it is. */
  isServedBy?(listings: readonly ListedLookup[]): boolean;
  /** The description and options in the command picker, in one language. */
  describe(context: CustomDescriptionContext): {
    readonly description: string;
    readonly options: readonly CommandOption[];
  };
  /** The choices for an option with `autocomplete`, the best first; at most 25, within a second. */
  autocomplete?(input: CompletionInput, context: CustomCommandContext): Promise<readonly CommandChoice[]>;
  /** Runs the command, or an action of it. The member reads the text of an InputError; any other error is logged. */
  execute(input: CommandInput, context: CustomCommandContext): Promise<Reply | Panel | Modal>;
}

/**
 * A slash command in the shape of discord.js's guide. It is registered as it is, and gets the interaction of your client, or
 * of tallyhook's connection, in whose cache are no guilds. It needs a connection to the gateway, so it does not work with
 * `DISCORD_PUBLIC_KEY`.
 * @category Commands
 * @example
 * ```ts
 * import { SlashCommandBuilder } from 'discord.js';
 * import type { DiscordJsCommand } from 'tallyhook/discord';
 *
 * const balance: DiscordJsCommand = {
 *   data: new SlashCommandBuilder().setName('balance').setDescription('Shows your balance.'),
 *   async execute(interaction, { ledger }) {
 *     const account = await ledger.account(interaction.user.id);
 *     await interaction.reply(`${account?.credits ?? 0} credits`);
 *   },
 * };
 * ```
 */
export type DiscordJsCommand = NativeCommand<Pick<CustomCommandContext, 'ledger'>>;

/** A slash command of the package's user. @category Commands */
export type OwnCommand = CustomCommand | DiscordJsCommand;

/** Discord: "Application Command Naming". Names with other letters are valid, too. */
const namePattern = /^[-_'\p{L}\p{N}]{1,32}$/u;

/**
 * The commands of an installation with those of the package's user. @internal
 * @param ledger what they find in their context; null if they are not run
 * @throws TallyhookError `command_name_taken`, `command_name_invalid`
 */
export function withCustomCommands(
  own: readonly Command[],
  custom: readonly OwnCommand[],
  ledger: Ledger | null = null,
): readonly Command[] {
  const names = new Set(own.map(({ name }) => name));
  const added = custom.map((command) => toCommand(command, ledger));
  for (const { name } of added) {
    if (!namePattern.test(name) || name !== name.toLowerCase()) {
      throw new TallyhookError('command_name_invalid', `${JSON.stringify(name)} is not a name of a slash command.`, {
        hint: 'Discord accepts 1 to 32 lower-case letters, digits, hyphens and underscores.',
      });
    }
    if (names.has(name)) {
      throw new TallyhookError('command_name_taken', `There are two commands with the name ${JSON.stringify(name)}.`, {
        hint: `Rename yours. tallyhook has the commands ${own.map((each) => `/${each.name}`).join(', ')}.`,
      });
    }
    names.add(name);
  }
  return [...own, ...added];
}

function toCommand(command: OwnCommand, ledger: Ledger | null): Command {
  const context = {
    get ledger(): Ledger {
      if (ledger === null) throw new Error('The commands were created to be registered alone.');
      return ledger;
    },
  };
  return 'data' in command ? ofDiscordJs(command, context) : ofTallyhook(command, context);
}

type OwnContext = Pick<CustomCommandContext, 'ledger'>;

function ofTallyhook(command: CustomCommand, own: OwnContext): Command {
  const { autocomplete, ...definition } = command;
  return {
    ...definition,
    execute: (input, context) => command.execute(input, { ...context, ledger: own.ledger }),
    ...(autocomplete && {
      autocomplete: (input, context) => autocomplete.call(command, input, { ...context, ledger: own.ledger }),
    }),
  };
}

function ofDiscordJs(command: DiscordJsCommand, context: OwnContext): Command {
  const body = bodyOfNative(command);
  const { contexts, default_member_permissions: permissions } = body;
  return {
    name: body.name,
    body,
    visibility: 'private',
    // For /help; Discord offers it by its body.
    ...((contexts?.includes(InteractionContextType.BotDM) ?? true) && { availability: 'everywhere' }),
    ...(permissions != null && { defaultMemberPermissions: 'ManageGuild' }),
    describe: ({ texts: { locale } }) => ({
      description: body.description_localizations?.[locale] ?? body.description,
      options: (body.options ?? []) as readonly CommandOption[],
    }),
    execute: () => Promise.reject(new Error('discord.js runs it.')),
    native: functionsOfNative(command, context),
  };
}

/** The slash commands of the package's user, and those of tallyhook that are left out. @category Commands */
export interface CommandChanges {
  /**
   * Names of commands of tallyhook that are neither registered nor answered, such as `help`. The buttons under messages of
   * tallyhook still work. A command in the menu of a member is left out with its command, or alone by its own name:
   * `Credits`, `Trace votes`, `Award credits`.
   */
  readonly exclude?: readonly string[];
  /** Registered and answered beside those of tallyhook. A name that is left out may be used. */
  readonly own?: readonly OwnCommand[];
}

/** A list is short for `{ own: […] }`. @category Commands */
export type CommandOptions = readonly OwnCommand[] | CommandChanges;

/** @internal */
export interface ChosenCommands {
  readonly offered: readonly Command[];
  readonly retired: readonly Command[];
}

const command = z.custom<OwnCommand>(
  (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, 'execute') === 'function',
  'it must be a command with a function execute',
);
const changes = z.strictObject({
  exclude: z.array(z.string()).optional(),
  own: z.array(command).optional(),
} satisfies Record<keyof CommandChanges, z.ZodType>);

/**
 * The commands of an installation with the changes of the package's user. @internal
 * @param options.caller the function whose option it is
 * @param options.ledger what own commands find in their context; null if they are not run
 * @throws InvalidConfigError `invalid_options`
 * @throws TallyhookError `command_name_taken`, `command_name_invalid`
 */
export function chooseCommands(
  commands: readonly Command[],
  chosen: CommandOptions = {},
  { caller, ledger }: { readonly caller: string; readonly ledger: Ledger | null },
): ChosenCommands {
  const isList = (value: CommandOptions): value is readonly OwnCommand[] => Array.isArray(value);
  checkOptions(caller, { commands: chosen }, z.object({ commands: isList(chosen) ? z.array(command) : changes }));
  const { exclude = [], own = [] } = isList(chosen) ? { own: chosen } : chosen;
  const issues = exclude.flatMap((name, index) => issueOf(name, index));
  if (issues.length > 0) throw new InvalidConfigError(issues, caller);
  const isLeftOut = ({ name }: Command) => exclude.includes(name);
  const offered = commands
    .filter((each) => !isLeftOut(each))
    .map((each) => (exclude.includes(menuNameOf(each, ownTexts) ?? '') ? withoutMenu(each) : each));
  return { offered: withCustomCommands(offered, own, ledger), retired: commands.filter(isLeftOut) };
}

function withoutMenu({ menu: _menu, ...command }: Command): Command {
  return command;
}

function issueOf(name: string, index: number): ConfigIssue[] {
  const names = builtIn.flatMap((each) => [each.name, menuNameOf(each, ownTexts) ?? []].flat());
  if (names.includes(name)) return [];
  const similar = closest(name, names);
  const hint = similar === undefined ? `The commands are ${names.join(', ')}.` : `Did you mean ${similar}?`;
  const problem = `is invalid: ${JSON.stringify(name)} is not a command of tallyhook.`;
  return [{ setting: `commands.exclude[${index}]`, problem, hint, path: ['commands', 'exclude', index] }];
}
