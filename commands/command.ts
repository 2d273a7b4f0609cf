import type { Lookup } from '../src/lookup/lookup.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Markup } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';

/** A listing as the commands see it. */
export interface ListedLookup {
  /** The name of the configured listing, shown as the choice of an option. */
  readonly name: string;
  readonly lookup: Lookup;
}

/** All that a command may use. */
export interface CommandContext {
  /** The listings that have a key, the server's before the bot's. */
  readonly listings: readonly ListedLookup[];
  readonly texts: Texts;
  readonly clock: Clock;
}

/** What an option holds. A button brings each of them back as a string. */
export type OptionValue = string | number | boolean;

/** At most 25, of at most 100 characters each. Discord: "Application Command Option Choice Structure". */
export interface OptionChoice {
  readonly name: string;
  readonly value: string;
}

/** An option of a slash command. Discord: "Application Command Option Structure". */
export type CommandOption = {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
} & (
  | { readonly type: 'string'; readonly choices?: readonly OptionChoice[] }
  | { readonly type: 'integer'; readonly min?: number; readonly max?: number }
  | { readonly type: 'user' }
);

/**
 * What was asked: the options that were given, and by whom. A user option holds the user's id. What a button brings back are strings that
 * anybody may have made up, so a command reads its options through `option.ts`, which takes nothing on trust.
 */
export interface CommandInput {
  readonly options: Readonly<Record<string, OptionValue>>;
  /** The member who asks. */
  readonly userId: string;
}

/** A button. A link leaves Discord; a page comes back to the command's `execute` with the options that the button carries. */
export type ReplyButton =
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | {
      readonly kind: 'page';
      readonly label: string;
      readonly disabled: boolean;
      /** The options of the page that it leads to; together with the command's name at most 100 characters. */
      readonly options: Readonly<Record<string, OptionValue>>;
    };

/** At most 25 are drawn, with 256 characters for the name and 1,024 for the value. Discord: "Embed Limits". */
export interface ReplyField {
  readonly name: Markup;
  readonly value: Markup;
  readonly inline?: boolean;
}

/**
 * What a member sees: plain data, drawn by `src/discord/reply.ts`, which cuts what is longer than Discord takes. Its
 * type says that foreign text in it is escaped.
 */
export interface Reply {
  readonly tone: 'good' | 'plain' | 'wait' | 'bad';
  readonly title?: Markup;
  /** Where the title leads. */
  readonly url?: string;
  readonly text?: Markup;
  readonly fields?: readonly ReplyField[];
  /** Drawn without markup. */
  readonly footer?: string;
  /** When it happened, where that is not now (ms since the epoch). */
  readonly at?: number;
  readonly buttons?: readonly ReplyButton[];
}

/** A slash command: data and a function. */
export interface Command {
  readonly name: string;
  /** Who sees the answer: only the one who asked (ephemeral), or everybody in the channel. */
  readonly visibility: 'private' | 'public';
  /** Whether its answers have page buttons; a page button that names another command is refused. */
  readonly hasPages: boolean;
  /** Whether the configured listings can serve it; a command that no key can serve is not offered. */
  isServedBy(listings: readonly ListedLookup[]): boolean;
  /** As Discord shows it in the picker; depends on what is configured. */
  describe(services: Pick<CommandContext, 'listings' | 'texts'>): {
    readonly description: string;
    readonly options: readonly CommandOption[];
  };
  /** Answers. Throws a LookupFailure where the service leaves it nothing to say; the caller words it. */
  execute(asked: CommandInput, services: CommandContext): Promise<Reply>;
}
