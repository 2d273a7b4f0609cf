import { isSnowflake } from '@tallyhook/platform/snowflake';
import { type Markup, mention } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';
import type { OptionValue } from './reply.ts';

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
   * What Discord sends about the users, channels and roles that were selected, also in options, and about uploaded files,
   * by their ids.
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
  /** Whether the member has the permission Manage Server. */
  readonly isManager: boolean;
  /** Whether the bot may attach files to its reply. */
  readonly canAttachFiles: boolean;
  /** Unique, also over restarts. */
  readonly interactionId: string;
  /** The id of the bot's application, and of the bot. */
  readonly applicationId: string;
  /** Discord's code of the member's language, and of the guild's; null without a guild. */
  readonly locale: string;
  readonly guildLocale: string | null;
}

/** What a member has entered so far, while the choices of an option are shown. @category Commands */
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
  /** Whether the member has the permission Manage Server in the guild. */
  readonly isManager: boolean;
}

/** What Discord sends about selected objects. The names are external. @category Commands */
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
  /** Only who knows it can read the file. */
  readonly url: string;
}

/** A user that a member selected; of the guild or not. @category Commands */
export interface ResolvedUser {
  readonly name: string;
  readonly isBot: boolean;
}

/** A channel that a member selected. @category Commands */
export interface ResolvedChannel {
  readonly name: string;
  /** What the bot lacks in the channel; null if Discord did not send its permissions. */
  readonly missing: readonly PostingPermission[] | null;
}

/** A role that a member selected. @category Commands */
export interface ResolvedRole {
  readonly name: string;
  /** Whether it belongs to an integration, such as a bot's own role, or is @everyone: nobody can give it. */
  readonly isManaged: boolean;
  /** Whether it has permissions of a moderator, which votes must not give. */
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

/** Whether a checkbox of a modal is checked. */
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
