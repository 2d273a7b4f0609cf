import type { Clock } from '@tallyhook/platform/clock';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { defaultLocale } from '@tallyhook/platform/texts/locale';
import { commandMention, type Markup, mention } from '@tallyhook/platform/texts/markup';
import type { AutocompleteInteraction, ChatInputCommandInteraction } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { Lookup } from '../../lookup/lookup.ts';
import type { AppTexts, Texts } from '../../texts/texts.ts';
import type { ActionTarget, Modal, OptionValue, Panel, Reply, ReplyButton } from './reply.ts';

/** A configured listing with its lookup client. @category Commands */
export interface ListedLookup {
  /** The configured name, for addresses and the values of options. People see `displayName`. */
  readonly name: string;
  /**
   * The name that people know, as far as it is known now: the configured title, else the name on the site, in Discord,
   * or that of the site. The profile of its `lookup` has the same name. The configured name by default. External text.
   */
  readonly displayName?: () => string;
  readonly lookup: Lookup;
  /** The other site that it is on: its ID in the configuration, and its name. Missing for the service. */
  readonly site?: { readonly id: string; readonly name: string } | undefined;
  /** True if no API says who has voted: its site has none, or there is no key for it. Then only the ledger knows votes. */
  readonly isSilent?: boolean;
}

/** An option of a slash command. Discord: "Application Command Option Structure". @category Commands */
export type CommandOption = APIApplicationCommandBasicOption;

/**
 * A choice of an option: what the member sees, and what the command receives; 1 to 100 characters each.
 * @category Commands
 */
export interface CommandChoice {
  readonly name: string;
  readonly value: string;
}

/** Something a command shows that a community may lack: `accounts`, without any listing, or the value of a setting, by its path. */
export type Need = string;

/** Context on which the description of a command depends. */
export interface DescriptionContext {
  /** The listings that have a key, servers before bots: those of the community, or of all for a registered command. */
  readonly listings: readonly ListedLookup[];
  /**
   * True if several communities share the program. A registered command is the same for all of them, so its options
   * cannot name the listings of one.
   */
  readonly isShared: boolean;
  /** Needs that the community lacks, or all communities for a registered command. Default: none. */
  readonly lacks?: readonly Need[];
  /** In the language of the member, or of the description. @internal */
  readonly texts: Texts;
}

/** Context on which registered commands depend. They are described in every language. */
export interface RegistrationContext extends Omit<DescriptionContext, 'texts'> {
  /** The texts of the app. */
  readonly languages: AppTexts;
}

/** Context that running any command needs; a program adds what its commands do. */
export interface AnsweringContext extends DescriptionContext {
  /** The communities that a command covers; empty in a guild without any, null if the program has only one. */
  readonly communities: readonly unknown[] | null;
  readonly clock: Clock;
  /** The id of a command on Discord; null before its registration. */
  readonly commandId: (name: string) => string | null;
}

/** A button that leads to an action of a command from messages that are not its own. */
interface CommandOffer {
  /**
   * Under an account; under announcements and where there is nothing to vote for now; in the vote panel; or in place of
   * the link to a listing, where there are several.
   */
  readonly place: 'account' | 'vote' | 'panel' | 'listings';
  readonly action: string;
  readonly label: (texts: Texts) => string;
  /** Before those of commands that are registered earlier. */
  readonly isFirst?: true;
}

/** A slash command as it is registered. */
export interface CommandDefinition {
  readonly name: string;
  /** Who sees the reply: only the member who ran the command (ephemeral), or everyone in the channel. */
  readonly visibility: 'private' | 'public';
  /** True if its replies have page buttons. A page button of any other command is rejected. Default: false. */
  readonly hasPages?: boolean;
  /**
   * The actions of its buttons, selects and modals: lower-case letters and digits, with `-`. Any other action is
   * rejected. Everyone who sees a component can use it: the member alone under a private reply, anybody under a public
   * message.
   */
  readonly actions?: readonly string[];
  /** The buttons of the command in other messages. */
  readonly offers?: readonly CommandOffer[];
  /**
   * The name in the menu of a member (Discord: "User Commands"), 1 to 32 characters: there it is run with the member as
   * its option `user`. Without it, it is not in the menu.
   */
  readonly menu?: (texts: Texts) => string;
  /**
   * Where it can be run. `everywhere`: also in direct messages, and in every guild by members who have added the app to
   * their account. Default: only in guilds that have the app. Its components work wherever they are.
   */
  readonly availability?: 'everywhere';
  /**
   * The permission that a member needs by default; `ManageGuild` is Manage Server. Checked again when the command or an
   * action of it is executed, because a guild's administrators can change who sees the command.
   */
  readonly defaultMemberPermissions?: 'ManageGuild';
  /** False if the roles of the member who uses it are not stored, as when all is deleted. Default: true. */
  readonly notesMember?: false;
  /** True if it leads to direct messages to the member who uses it, so that the member's language is stored. */
  readonly leadsToDirectMessages?: true;
  /** True if it can be used in a guild without a listing, while other guilds have some. Default: false. */
  readonly worksWithoutListing?: true;
  /** True if these listings support it; if those of no community do, it is not registered. By default they do. */
  isServedBy?(listings: readonly ListedLookup[]): boolean;
  /**
   * Without it, the command has nothing to show, so it is not registered, and no reply leads to it. It answers
   * nevertheless: one that is registered globally is also seen where there is nothing.
   */
  readonly needs?: Need;
  /** The description and options in the command picker, which depend on the configured listings. */
  describe(context: DescriptionContext): {
    readonly description: string;
    readonly options: readonly CommandOption[];
  };
  /** Registered in place of the description, as it is. */
  readonly body?: CommandData;
}

/** Name and type of a registered command, as Discord has them; the name is in English. @category Commands */
export interface NamedCommand {
  /** Discord: "Application Command Types". Default: a slash command. */
  readonly type?: number | undefined;
  readonly name: string;
}

/** The slash command, or the one in the menu of a member, that Discord knows by this name. */
export function findCommand<Command extends Pick<CommandDefinition, 'name' | 'menu'>>(
  commands: readonly Command[],
  { type = ApplicationCommandType.ChatInput, name }: NamedCommand,
  languages: AppTexts,
): Command | undefined {
  switch (type) {
    case ApplicationCommandType.ChatInput:
      return commands.find((command) => command.name === name);
    case ApplicationCommandType.User:
      return commands.find((command) => menuNameOf(command, languages) === name);
    default:
      return undefined;
  }
}

/** The name by which Discord knows the command in the menu of a member; undefined if it is not there. */
export function menuNameOf({ menu }: Pick<CommandDefinition, 'menu'>, languages: AppTexts): string | undefined {
  return menu?.(languages.in(defaultLocale));
}

/** True if a command is registered, or replies lead to it. */
export function isOffered(
  { needs, ...command }: Pick<CommandDefinition, 'isServedBy' | 'needs'>,
  { listings, lacks = [] }: Pick<DescriptionContext, 'listings' | 'lacks'>,
): boolean {
  return command.isServedBy?.(listings) !== false && !(needs !== undefined && lacks.includes(needs));
}

/** A slash command as Discord's API takes it. Discord: "Create Global Application Command". @category Commands */
export type CommandData = RESTPostAPIChatInputApplicationCommandsJSONBody;

/** A command as Discord's API takes it: a slash command, or one in the menu of a member. @category Commands */
export type ApplicationCommandBody = CommandData | RESTPostAPIContextMenuApplicationCommandsJSONBody;

/** Functions that get the interactions of discord.js, and answer them. */
export interface NativeFunctions {
  execute(interaction: ChatInputCommandInteraction): unknown;
  autocomplete(interaction: AutocompleteInteraction): unknown;
}

/** A slash command: its description and a function. */
export interface SlashCommand<Context> extends CommandDefinition {
  /**
   * The choices for an option with `autocomplete`, the best first; at most 25. Called for every character that the
   * member types, so it only reads what is in memory. The member can send a text that is not a choice. After an error,
   * or a second, there are no choices.
   */
  autocomplete?(input: CompletionInput, context: Context): Promise<readonly CommandChoice[]>;
  /**
   * Runs the command, or an action of it. Throws a LookupError if the service fails and nothing is cached, and an
   * InputError if the member entered something that does not exist; the caller explains it to the member.
   */
  execute(input: CommandInput, context: Context): Promise<Reply | Panel | Modal>;
  /** The functions of a command that gets the interaction of discord.js, in place of those above. */
  readonly native?: NativeFunctions;
}

/**
 * A command in the shape of discord.js's guide: it gets the interaction of discord.js, and answers it itself.
 * @category Commands
 */
export interface NativeCommand<Context> {
  /** A `SlashCommandBuilder`, or what its `toJSON` returns. */
  readonly data: CommandData | { toJSON(): CommandData };
  /** Answers the interaction. An error is logged, and the member reads that something went wrong. */
  execute(interaction: ChatInputCommandInteraction, context: Context): unknown;
  /** Answers with choices, within 3 s. */
  autocomplete?(interaction: AutocompleteInteraction, context: Context): unknown;
}

export function bodyOfNative({ data }: Pick<NativeCommand<never>, 'data'>): CommandData {
  return 'toJSON' in data ? data.toJSON() : data;
}

export function functionsOfNative<Context>(command: NativeCommand<Context>, context: Context): NativeFunctions {
  return {
    execute: (interaction) => command.execute(interaction, context),
    autocomplete: (interaction) => command.autocomplete?.(interaction, context),
  };
}

/**
 * The input of a command: its options and the member who ran it. A user, channel or role option contains an id. The
 * options of a component can be forged, so a command reads its options with the validating functions below.
 * @category Commands
 */
export interface CommandInput {
  readonly options: Readonly<Record<string, OptionValue>>;
  /** The action of the component or modal; null for the slash command itself and for page buttons. */
  readonly action: string | null;
  /** The selected values of a select: those of its choices, or ids. */
  readonly values: readonly string[];
  /**
   * The fields of a submitted modal by name: a text or the value of radios (empty for none), the selected values, or
   * whether a checkbox is checked. The texts are external.
   */
  readonly fields: Readonly<Record<string, string | readonly string[] | boolean>>;
  /**
   * The users, channels and roles that were selected, also in options, and uploaded files, as Discord sends them, by
   * their ids.
   */
  readonly resolved: ResolvedObjects;
  /** The member who ran the command or used the component. */
  readonly userId: string;
  /** The member's name in the guild; external text. */
  readonly displayName: string;
  /**
   * The guild if it has the app; null elsewhere: in direct messages, and in a guild in which only the member's own
   * account has the app.
   */
  readonly guildId: string | null;
  readonly channelId: string | null;
  /** The ids of the member's roles; null without a guild. */
  readonly roles: readonly string[] | null;
  /** True if the member has the permission Manage Server. */
  readonly isManager: boolean;
  /** True if the bot may attach files to its reply. */
  readonly canAttachFiles: boolean;
  /** Unique, also over restarts. */
  readonly interactionId: string;
  /** The id of the bot's application, and of the bot. */
  readonly applicationId: string;
  /** Discord's code of the member's language, and of the guild's; null without a guild. */
  readonly locale: string;
  readonly guildLocale: string | null;
}

/** The input so far, while a member is shown the choices of an option. @category Commands */
export interface CompletionInput {
  /** The name of the option that is being typed. */
  readonly option: string;
  /** The text that was typed so far; external. */
  readonly typed: string;
  /** The other options so far. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly userId: string;
  /** The guild if it has the app; null elsewhere, such as in direct messages. */
  readonly guildId: string | null;
  /** True if the member has the permission Manage Server in the guild. */
  readonly isManager: boolean;
}

/** Objects that a member has selected, as Discord sends them. The names are external. @category Commands */
export interface ResolvedObjects {
  readonly users: Readonly<Record<string, ResolvedUser>>;
  readonly channels: Readonly<Record<string, ResolvedChannel>>;
  readonly roles: Readonly<Record<string, ResolvedRole>>;
  /** Uploaded in a modal; missing without an upload. */
  readonly files?: Readonly<Record<string, ResolvedFile>>;
}

/** A file that a member uploaded. Discord serves it for some time. @category Commands */
export interface ResolvedFile {
  /** Bytes. */
  readonly size: number;
  /** The address of the file, which only someone who knows it can read. */
  readonly url: string;
}

/** A user that a member selected; of the guild or not. @category Commands */
export interface ResolvedUser {
  readonly name: string;
  readonly isBot: boolean;
  /** The ids of the roles in the guild; null if it is not known to be a member of it. */
  readonly roles: readonly string[] | null;
}

/** A channel that a member selected. @category Commands */
export interface ResolvedChannel {
  readonly name: string;
  /** Permissions that the bot lacks in the channel; null if Discord did not send them. */
  readonly missing: readonly PostingPermission[] | null;
}

/** A role that a member selected. @category Commands */
export interface ResolvedRole {
  readonly name: string;
  /** True if it belongs to an integration, such as a bot's own role, or is @everyone: nobody can give it. */
  readonly isManaged: boolean;
  /** True if it has permissions of a moderator, which votes must not give. */
  readonly isModerating: boolean;
}

/** The permissions that the bot needs in a channel to post there, by Discord's names. */
export const postingPermissions = [
  'View Channel',
  'Send Messages',
  'Embed Links',
  'Attach Files',
  'Read Message History',
] as const;
/** A permission without which the bot cannot post in a channel. @category Commands */
export type PostingPermission = (typeof postingPermissions)[number];

/** The integer value of an option, clamped to its range; the fallback for any other value. */
export function integerOption(
  input: CommandInput,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const value = Number(input.options[name] ?? Number.NaN);
  return Number.isInteger(value) ? Math.min(range.max, Math.max(range.min, value)) : range.fallback;
}

/** The choice of an option; the fallback for any value that is not a choice. */
export function choiceOption<Choice extends string>(
  input: CommandInput,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  return choices.find((choice) => choice === input.options[name]) ?? fallback;
}

/** The user id of an option; the fallback for a missing or invalid one. */
export function userOption(input: CommandInput, name: string, fallback: string): string {
  const value = input.options[name];
  return isSnowflake(value) ? value : fallback;
}

/** The text of a modal's field, without spaces around it; empty for a missing field. */
export function textField(input: CommandInput, name: string): string {
  const value = input.fields[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** True if a checkbox of a modal is checked. */
export function isChecked(input: CommandInput, name: string): boolean {
  return input.fields[name] === true;
}

/** The selected values of a modal's field. */
export function selectedValues(input: CommandInput, name: string): readonly string[] {
  const values = input.fields[name];
  return Array.isArray(values) ? values : [];
}

/**
 * The input of the member cannot be used, or not now. The member sees the text, which says why and what they can do.
 * @category Commands
 */
export class InputError extends Error {
  readonly text: Markup;

  constructor(text: Markup) {
    super(text);
    this.name = 'InputError';
    this.text = text;
  }
}

/**
 * The user id of an option; the fallback for a missing or invalid one.
 * @throws InputError for a bot, which neither votes nor has an account
 */
export function memberOption(input: CommandInput, name: string, fallback: string, texts: Texts): string {
  const userId = userOption(input, name, fallback);
  if (input.resolved.users[userId]?.isBot) throw new InputError(texts.text('failure.isBot', { user: mention(userId) }));
  return userId;
}

/** The buttons that these commands offer at a place. */
export function offersAt(
  place: CommandOffer['place'],
  commands: readonly CommandDefinition[],
  texts: Texts,
): readonly ReplyButton[] {
  return commands
    .flatMap(({ name, offers = [] }) => offers.map((offer) => ({ name, ...offer })))
    .filter((offer) => offer.place === place)
    .toSorted((a, b) => Number(b.isFirst ?? false) - Number(a.isFirst ?? false))
    .map(({ name, action, label }) => ({ kind: 'action', command: name, action, label: label(texts) }));
}

/** The action that lists all listings to vote for, in place of the link to one of several; null without one. */
export function listingsTarget(commands: readonly CommandDefinition[]): ActionTarget | null {
  for (const { name: command, offers = [] } of commands) {
    const offer = offers.find(({ place }) => place === 'listings');
    if (offer !== undefined) return { command, action: offer.action };
  }
  return null;
}

/** The buttons that lead to the pages before and after one, which are counted from 1. @param options of the command */
export function pageButtons(
  group: 'leaderboard' | 'reviews' | 'shop',
  { text }: Texts,
  { number, pages }: { readonly number: number; readonly pages: number },
  options: Readonly<Record<string, OptionValue>>,
): readonly [previous: ReplyButton, next: ReplyButton] {
  const button = (label: string, page: number): ReplyButton => {
    return { kind: 'page', label, disabled: page < 1 || page > pages, options: { ...options, page } };
  };
  return [button(text(`${group}.previous`), number - 1), button(text(`${group}.next`), number + 1)];
}

/** Says that a command could not do what it was asked for. */
export function errorReply(text: Markup, texts: Texts): Reply {
  return { tone: 'bad', title: texts.text('failure.title'), text };
}

/** The reply where no listing is linked to the guild. @internal */
export function noListing({ texts, commandId }: Pick<AnsweringContext, 'texts' | 'commandId'>): Reply {
  return errorReply(texts.text('failure.noListing', { setup: commandMention('setup', commandId('setup')) }), texts);
}
