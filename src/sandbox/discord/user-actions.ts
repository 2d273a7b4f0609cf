import type { ReceivedCallback } from './interactions.ts';
import type { SubmittedValues } from './modal.ts';
import type { Message } from './objects.ts';
import type { OptionInput } from './resolve-command.ts';

/** What a member can do by hand, and what comes of it. */

/** What came of a command or a click. */
export interface InteractionHandle {
  readonly id: string;
  /** The first callback; rejects with {@link ApplicationDidNotRespond} after 3 seconds without one. */
  readonly response: Promise<ReceivedCallback>;
  /** The message once it shows more than "is thinking…"; rejects as `response` does. */
  readonly settled: Promise<Message>;
  /** Every message that the interaction has made or changed, as they are now. */
  readonly messages: readonly Message[];
}

export interface CommandAction {
  /** With its subcommands, as in `vote trace`. */
  readonly name: string;
  readonly userId: string;
  readonly channelId: string;
  /** By name; users, channels and roles by their ids, an attachment as a file. */
  readonly options?: Readonly<Record<string, OptionInput>>;
}

export interface ComponentAction {
  readonly messageId: string;
  readonly customId: string;
  readonly userId: string;
  /** What was picked, for a select. */
  readonly values?: readonly string[];
}

export interface AutocompleteAction extends CommandAction {
  /** The option that is being typed, and what has been typed of it. */
  readonly focused: { readonly name: string; readonly value: string };
}

/** What a bot offers while an option is being typed. */
export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

export interface ModalAction {
  /** Of the command or click that opened it. */
  readonly interactionId: string;
  readonly userId: string;
  /** By the fields' custom ids. */
  readonly values: SubmittedValues;
}
