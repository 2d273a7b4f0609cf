import type { Choice, LocalDiscord, LocalDiscordOptions } from '../local-discord-interface.ts';
import type { Modal, SubmittedValues } from '../modal.ts';
import type { Message } from '../objects.ts';
import type { OptionInput } from '../resolve-command.ts';

/** The used part of a `Client` of discord.js 14. */
export interface BotClient {
  readonly rest: {
    readonly options: object;
    on(event: 'response', listener: (request: { path: string }) => void): unknown;
  };
  readonly application: { readonly commands: { set(commands: never, guildId: string): Promise<unknown> } } | null;
  isReady(): boolean;
  once(event: 'clientReady', listener: () => void): unknown;
  login(token: string): Promise<string>;
  destroy(): Promise<void>;
}

/** Options of {@link createTestBot}. */
export interface TestBotOptions extends Omit<LocalDiscordOptions, 'people'> {
  /** The commands to register in the guild: builders, or their JSON. */
  readonly commands?: readonly unknown[];
  /** Names of the members; the first one owns the guild. By default Mira, Tomás, 愛子 and Old Salt. */
  readonly members?: readonly string[];
}

/** A bot on a Discord of its own, and the members who use it. */
export interface TestBot {
  /** The local Discord, with everything that the helpers do not have. */
  readonly discord: LocalDiscord;
  /** A member by name; without a name the first one. @throws LocalDiscordError `unknown_user` */
  member(name?: string): TestMember;
  /**
   * The next message of the bot that answers nobody, each once, oldest first: in a channel, by name or id (default:
   * `general`), or to a member. Rejects with `application_did_not_respond` if there is none within 3 s.
   */
  nextMessage(where?: string | TestMember): Promise<TestReply>;
  /** Ends the client and its Discord. */
  stop(): Promise<void>;
}

/** A member of the guild. Inputs that Discord's client would not send throw a RejectedByClientError. */
export interface TestMember {
  readonly id: string;
  readonly name: string;
  /**
   * Uses a command, such as `/ping` or `/vote trace`; resolves when the bot has replied, which may be with a modal.
   * @param options by name; a member as such
   */
  run(command: string, options?: TestCommandOptions, where?: { readonly channel?: string }): Promise<TestReply>;
  /** Types `text` in an option; resolves with the suggestions of the bot. */
  complete(command: string, option: string, text: string, options?: TestCommandOptions): Promise<readonly Choice[]>;
  /** The ids of the roles. */
  readonly roles: readonly string[];
}

/** Values of a command's options, by name. */
export type TestCommandOptions = Readonly<Record<string, OptionInput | TestMember>>;

/** A message of the bot as a member sees it, or a modal that it has opened. All of it is as it is now, also after edits. */
export interface TestReply {
  /** Everything that can be read, a line each: the content, embeds, and text displays; of a modal its title. */
  readonly text: string;
  /** True if only this member sees it. */
  readonly ephemeral: boolean;
  /** The labels of the buttons. */
  readonly buttons: readonly string[];
  /** The message as Discord stores it; null for a modal. */
  readonly message: Message | null;
  /** The modal; null for a message. */
  readonly modal: Modal | null;
  /**
   * Presses a button, by its label, emoji or custom id; resolves with the message that it changes, or the reply.
   * @param options.by another member
   */
  click(button: string, options?: { readonly by?: TestMember }): Promise<TestReply>;
  /**
   * Selects values, or the labels of options.
   * @param options.from the placeholder or the custom id of the select; by default the first one
   * @param options.by another member
   */
  select(
    values: string | readonly string[],
    options?: { readonly from?: string; readonly by?: TestMember },
  ): Promise<TestReply>;
  /** Submits the modal: values by the label or the custom id of a field. */
  submit(values: SubmittedValues): Promise<TestReply>;
}

/** Dependencies of replies. */
export interface TestContext {
  readonly discord: LocalDiscord;
  /** Resolves when the bot has read the answers to its requests, and has had time to go on. */
  readonly answers: () => Promise<void>;
}
