import type { APIApplicationCommandBasicOption } from 'discord-api-types/v10';
import type { Standings } from '../src/core/ledger/standing.ts';
import type { Milestone } from '../src/core/rewards/rules.ts';
import type { ListingKind, Lookup } from '../src/lookup/lookup.ts';
import type { Clock } from '../src/platform/clock.ts';
import { isSnowflake } from '../src/platform/snowflake.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Claims } from './claims.ts';
import type { MemberDataAccess } from './member-data.ts';
import type { Reminders } from './reminders.ts';
import type { Modal, OptionValue, Panel, Reply } from './reply.ts';
import type { SetupServices } from './setup-services.ts';
import type { Shop } from './shop-port.ts';
import type { Traces } from './traces.ts';
import type { DrawVotePicture } from './vote-picture.ts';

/** A configured listing with its lookup client. */
export interface ListedLookup {
  /** The configured name, shown as the choice of an option. */
  readonly name: string;
  readonly lookup: Lookup;
}

/** The rules of a listing that members see. */
export interface ListedRules {
  /** The configured name. */
  readonly name: string;
  /** All names of the server or bot, if it has several: a vote for one is a vote for all. @internal */
  readonly names?: readonly string[];
  readonly kind: ListingKind;
  /** How long a vote blocks the next one (ms). */
  readonly cooldownMs: number;
  readonly milestones: readonly Milestone[];
}

/** A community that a command covers: its accounts, and the listings whose votes they are paid for. */
export interface CoveredCommunity {
  /** Names it in the options of components, which can be forged: the id of its guild, or `home` without one. */
  readonly id: string;
  /** Null if it is not known. */
  readonly guildId: string | null;
  readonly listings: readonly ListedLookup[];
  readonly rules: readonly ListedRules[];
  readonly standings: Standings;
}

/** The dependencies of a command. */
export interface CommandContext {
  /** The listings of the community that have a key, servers before bots. */
  readonly listings: readonly ListedLookup[];
  /**
   * Whether several communities share the program. A registered command is the same for all of them, so its options
   * cannot name the listings of one.
   */
  readonly isShared: boolean;
  /**
   * The communities whose accounts the command covers: that of the guild, or those in which the member has an account.
   * Null if the program has only one community, which every guild has then.
   */
  readonly communities: readonly CoveredCommunity[] | null;
  /** In the language of the member. @internal */
  readonly texts: Texts;
  readonly clock: Clock;
  /** All commands, whether or not the listings support them. */
  readonly commands: readonly Command[];
  /** The id of a command on Discord; null before its registration. */
  readonly commandId: (name: string) => string | null;
  /** Null where managers may not change accounts: in guilds without a listing of their own. */
  readonly awards: Awards | null;
  /** @internal */
  readonly reminders: Reminders;
  /** Of the first of the communities. */
  readonly standings: Standings;
  /** Of each listing of the community, whether or not it has a key. */
  readonly rules: readonly ListedRules[];
  /** @internal */
  readonly shop: Shop;
  /** @internal */
  readonly claims: Claims;
  /** @internal */
  readonly memberData: MemberDataAccess;
  /** Null where {@link awards} is. @internal */
  readonly traces: Traces | null;
  /** @internal */
  readonly drawVotePicture: DrawVotePicture;
  /** Null if settings cannot be stored; then there is no `/setup`. @internal */
  readonly setup: SetupServices | null;
}

/** Changes of accounts by managers. */
export interface Awards {
  /**
   * Adds credits to an account, or subtracts them if negative; once per interaction. Rejects with the errors of the
   * store.
   * @returns the balance (credits): the new one, or the unchanged one if it is less than what would be subtracted
   */
  award(award: {
    readonly userId: string;
    /** Whole and not 0. */
    readonly credits: number;
    readonly reason: string;
    /** The manager's user id. */
    readonly author: string;
    readonly interactionId: string;
  }): Promise<{ readonly outcome: 'awarded' | 'overdrawn'; readonly balance: number }>;
}

/** An option of a slash command. Discord: "Application Command Option Structure". */
export type CommandOption = APIApplicationCommandBasicOption;

/** A choice of an option: what the member sees, and what the command receives; 1 to 100 characters each. */
export interface CommandChoice {
  readonly name: string;
  readonly value: string;
}

/** What a member has entered so far, while the choices of an option are shown. */
export interface CompletionInput {
  /** The name of the option that is being typed. */
  readonly option: string;
  /** Its text so far; external. */
  readonly typed: string;
  /** The other options so far. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly userId: string;
  /** The guild if it has the app; null elsewhere, such as in direct messages. */
  readonly guildId: string | null;
}

/** The permissions that the bot needs in a channel to post there, by Discord's names. */
export const postingPermissions = [
  'View Channel',
  'Send Messages',
  'Embed Links',
  'Attach Files',
  'Read Message History',
] as const;
export type PostingPermission = (typeof postingPermissions)[number];

/** What Discord sends about selected objects. The names are external. */
export interface ResolvedObjects {
  readonly channels: Readonly<Record<string, ResolvedChannel>>;
  readonly roles: Readonly<Record<string, ResolvedRole>>;
}

export interface ResolvedChannel {
  readonly name: string;
  /** What the bot lacks in the channel; null if Discord did not send its permissions. */
  readonly missing: readonly PostingPermission[] | null;
}

export interface ResolvedRole {
  readonly name: string;
  /** Whether it belongs to an integration, such as a bot's own role, or is @everyone: nobody can give it. */
  readonly isManaged: boolean;
  /** Whether it has permissions of a moderator, which votes must not give. */
  readonly isModerating: boolean;
}

/**
 * The input of a command: its options and the member who ran it. A user, channel or role option contains an id. The
 * options of a component can be forged, so a command reads its options with the validating functions below.
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
  /** What Discord sends about the channels and roles that were selected, by their ids. */
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
  /** Whether the member has the permission Manage Server. */
  readonly isManager: boolean;
  /** Whether the bot may attach files to its reply. */
  readonly canAttachFiles: boolean;
  /** Unique, also over restarts. */
  readonly interactionId: string;
  /** Discord's code of the member's language, and of the guild's; null without a guild. */
  readonly locale: string;
  readonly guildLocale: string | null;
}

/** What the description of a command depends on. */
export interface DescriptionContext extends Pick<CommandContext, 'listings' | 'isShared'> {
  /** @internal */
  readonly texts: Texts;
}

/** A slash command: its description and a function. */
export interface Command {
  readonly name: string;
  /** Who sees the reply: only the member who ran the command (ephemeral), or everyone in the channel. */
  readonly visibility: 'private' | 'public';
  /** Whether its replies have page buttons. A page button of any other command is rejected. */
  readonly hasPages: boolean;
  /**
   * The actions of its buttons, selects and modals: lower-case letters and digits, with `-`. Any other action is
   * rejected. Everyone who sees a component can use it: the member alone under a private reply, anybody under a public
   * message.
   */
  readonly actions?: readonly string[];
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
  /**
   * Whether the roles of the member who uses it may be stored. Default: true; false for the command that deletes what
   * is stored.
   */
  readonly notesMember?: false;
  /** Whether it leads to direct messages to the member who uses it, so that the member's language is stored. */
  readonly leadsToDirectMessages?: true;
  /** Whether it can be used in a guild without a listing, while other guilds have some. Default: false. */
  readonly worksWithoutListing?: true;
  /** Whether these listings support it; if those of no community do, it is not registered. */
  isServedBy(listings: readonly ListedLookup[]): boolean;
  /** The description and options in the command picker, which depend on the configured listings. */
  describe(context: DescriptionContext): {
    readonly description: string;
    readonly options: readonly CommandOption[];
  };
  /**
   * The choices for an option with `autocomplete`, the best first; at most 25. Called for every character that the
   * member types, so it only reads what is in memory. The member can send a text that is not a choice. After an error,
   * or a second, there are no choices.
   */
  autocomplete?(input: CompletionInput, context: CommandContext): Promise<readonly CommandChoice[]>;
  /**
   * Runs the command, or an action of it. Throws a LookupError if the service fails and nothing is cached, and an
   * InputError if the member entered something that does not exist; the caller explains it to the member.
   */
  execute(input: CommandInput, context: CommandContext): Promise<Reply | Panel | Modal>;
}

/**
 * The integer value of an option, clamped to its range; the fallback for any other value.
 * @example
 * ```ts
 * import { type Command, escapeText, integerOption } from 'tallyhook/discord';
 *
 * const execute: Command['execute'] = async (input) => {
 *   const value = integerOption(input, 'amount', { min: 1, max: 10, fallback: 1 });
 *   return { tone: 'good', text: escapeText(String(value)) };
 * };
 * ```
 */
export function integerOption(
  input: CommandInput,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const value = Number(input.options[name] ?? Number.NaN);
  return Number.isInteger(value) ? Math.min(range.max, Math.max(range.min, value)) : range.fallback;
}

/**
 * The choice of an option; the fallback for any value that is not a choice.
 * @example
 * ```ts
 * import { choiceOption, type Command, escapeText } from 'tallyhook/discord';
 *
 * const execute: Command['execute'] = async (input) => {
 *   const value = choiceOption(input, 'sort', ['newest', 'highest'], 'newest');
 *   return { tone: 'good', text: escapeText(String(value)) };
 * };
 * ```
 */
export function choiceOption<Choice extends string>(
  input: CommandInput,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  return choices.find((choice) => choice === input.options[name]) ?? fallback;
}

/**
 * The user id of an option; the fallback for a missing or invalid one.
 * @example
 * ```ts
 * import { type Command, escapeText, userOption } from 'tallyhook/discord';
 *
 * const execute: Command['execute'] = async (input) => {
 *   const value = userOption(input, 'user', input.userId);
 *   return { tone: 'good', text: escapeText(String(value)) };
 * };
 * ```
 */
export function userOption(input: CommandInput, name: string, fallback: string): string {
  const value = input.options[name];
  return isSnowflake(value) ? value : fallback;
}

/**
 * The text of a modal's field, without spaces around it; empty for a missing field.
 * @example
 * ```ts
 * import { type Command, escapeText, textField } from 'tallyhook/discord';
 *
 * const execute: Command['execute'] = async (input) => {
 *   const value = textField(input, 'message');
 *   return { tone: 'good', text: escapeText(String(value)) };
 * };
 * ```
 */
export function textField(input: CommandInput, name: string): string {
  const value = input.fields[name];
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * Whether a checkbox of a modal is checked.
 * @example
 * ```ts
 * import { type Command, escapeText, isChecked } from 'tallyhook/discord';
 *
 * const execute: Command['execute'] = async (input) => {
 *   const value = isChecked(input, 'agree');
 *   return { tone: 'good', text: escapeText(String(value)) };
 * };
 * ```
 */
export function isChecked(input: CommandInput, name: string): boolean {
  return input.fields[name] === true;
}

/**
 * The selected values of a modal's field.
 * @example
 * ```ts
 * import { type Command, escapeText, selectedValues } from 'tallyhook/discord';
 *
 * const execute: Command['execute'] = async (input) => {
 *   const value = selectedValues(input, 'colours');
 *   return { tone: 'good', text: escapeText(String(value)) };
 * };
 * ```
 */
export function selectedValues(input: CommandInput, name: string): readonly string[] {
  const values = input.fields[name];
  return Array.isArray(values) ? values : [];
}
