import type { APIApplicationCommandBasicOption } from 'discord-api-types/v10';
import type { Lookup } from '../src/lookup/lookup.ts';
import type { Clock } from '../src/platform/clock.ts';
import { isSnowflake } from '../src/platform/snowflake.ts';
import type { Texts } from '../src/texts/en.ts';
import type { Markup } from '../src/texts/markup.ts';

/** A configured listing with its lookup client. */
export interface ListedLookup {
  /** The configured name, shown as the choice of an option. */
  readonly name: string;
  readonly lookup: Lookup;
}

/** The dependencies of a command. */
export interface CommandContext {
  /** The listings that have a key, servers before bots. */
  readonly listings: readonly ListedLookup[];
  readonly texts: Texts;
  readonly clock: Clock;
}

/** The value of an option. A button returns each of them as a string. */
export type OptionValue = string | number | boolean;

/** An option of a slash command. Discord: "Application Command Option Structure". */
export type CommandOption = APIApplicationCommandBasicOption;

/**
 * The input of a command: its options and the member who ran it. A user option contains the user's id. The options of a
 * button can be forged, so a command reads its options with the validating functions below.
 */
export interface CommandInput {
  readonly options: Readonly<Record<string, OptionValue>>;
  /** The member who ran the command. */
  readonly userId: string;
}

/** A button. A link opens a URL; a page button calls the command's `execute` with the options of the button. */
export type ReplyButton =
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | {
      readonly kind: 'page';
      readonly label: string;
      readonly disabled: boolean;
      /** The options of the target page; with the command's name at most 100 characters. */
      readonly options: Readonly<Record<string, OptionValue>>;
    };

/** At most 25 per reply, with 256 characters for the name and 1,024 for the value. Discord: "Embed Limits". */
export interface ReplyField {
  readonly name: Markup;
  readonly value: Markup;
  readonly inline?: boolean;
}

/**
 * The reply to a member: plain data, rendered by `src/discord/reply.ts`, which truncates texts that exceed Discord's
 * limits. Its types guarantee that external text is escaped.
 */
export interface Reply {
  readonly tone: 'good' | 'plain' | 'wait' | 'bad';
  readonly title?: Markup;
  /** The link of the title. */
  readonly url?: string;
  readonly text?: Markup;
  readonly fields?: readonly ReplyField[];
  /** Shown without markup. */
  readonly footer?: string;
  /** The time of the event (ms since the epoch), if it is not the current time. */
  readonly at?: number;
  readonly buttons?: readonly ReplyButton[];
}

/** A slash command: its description and a function. */
export interface Command {
  readonly name: string;
  /** Who sees the reply: only the member who ran the command (ephemeral), or everyone in the channel. */
  readonly visibility: 'private' | 'public';
  /** Whether its replies have page buttons. A page button of any other command is rejected. */
  readonly hasPages: boolean;
  /** Whether the configured listings support it; otherwise it is not registered. */
  isServedBy(listings: readonly ListedLookup[]): boolean;
  /** The description and options in the command picker, which depend on the configured listings. */
  describe(context: Pick<CommandContext, 'listings' | 'texts'>): {
    readonly description: string;
    readonly options: readonly CommandOption[];
  };
  /**
   * Runs the command. Throws a LookupError if the service fails and nothing is cached; the caller explains it to the
   * member.
   */
  execute(input: CommandInput, context: CommandContext): Promise<Reply>;
}

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
