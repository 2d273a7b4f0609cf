import type { ReceivedCallback } from './interactions.ts';
import type { Localizations } from './locales.ts';
import type { SubmittedValues } from './modal.ts';
import type { Message } from './objects.ts';
import type { OptionInput } from './resolve-command.ts';

/** The actions of a member, and their results. */

/** A sent interaction and its responses. */
export interface InteractionHandle {
  readonly id: string;
  /** The callback; rejects with ApplicationDidNotRespondError after 3 seconds without one. */
  readonly response: Promise<ReceivedCallback>;
  /** The message once it is more than "is thinking…"; rejects like `response`. */
  readonly settled: Promise<Message>;
  /** The current versions of the messages that the interaction created or edited. */
  readonly messages: readonly Message[];
}

export interface CommandAction {
  /** Including subcommands, as in `vote trace`. */
  readonly name: string;
  readonly userId: string;
  readonly channelId: string;
  /** By option name; users, channels and roles as ids, an attachment as a file. */
  readonly options?: Readonly<Record<string, OptionInput>>;
  /** The language of the client for this action only (default: that of the member). */
  readonly locale?: string;
}

export interface ComponentAction {
  readonly messageId: string;
  readonly customId: string;
  readonly userId: string;
  /** The selected values of a select. */
  readonly values?: readonly string[];
  /** As in {@link CommandAction}. */
  readonly locale?: string;
}

export interface AutocompleteAction extends CommandAction {
  /** The option that the member is typing in, and its text so far. */
  readonly focused: { readonly name: string; readonly value: string };
}

/** An autocomplete choice. */
export interface Choice {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly value: string | number;
}

export interface ModalAction {
  /** The id of the interaction that opened it. */
  readonly interactionId: string;
  readonly userId: string;
  /** By the custom ids of the fields. */
  readonly values: SubmittedValues;
}
