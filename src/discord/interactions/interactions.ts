import { DiscordAPIError } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import { plainName } from '@tallyhook/platform/truncate';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUserApplicationCommandInteraction,
  ApplicationCommandType,
  type APIApplicationCommandAutocompleteInteraction as AutocompleteInteraction,
  ComponentType,
  InteractionResponseType,
  InteractionType,
} from 'discord-api-types/v10';
import type { AppTexts, Texts } from '../../texts/texts.ts';
import { maxChoices } from '../commands/choices.ts';
import {
  type AnsweringContext,
  type CommandChoice,
  type CommandDefinition,
  type CommandInput,
  errorReply,
  findCommand,
  type NamedCommand,
  noListing,
  type SlashCommand,
} from '../commands/command.ts';
import type { Later, Modal, Panel, Reply } from '../commands/reply.ts';
import { isAnsweredAlready, isExpired } from '../discord-errors.ts';
import { decodeCustomId, isOwnCustomId, renderModal } from '../rendering/components.ts';
import { asPanel, isPanel, renderReply } from '../rendering/message.ts';
import {
  guildOf,
  isManager,
  isOutside,
  toActionInput,
  toCommandInput,
  toCompletionInput,
  type UserInteraction,
  userOf,
} from './command-input.ts';
import { createErrorReplies, errorBody } from './error-replies.ts';
import { createResponder, type InteractionResponder, type ResponseTransport, responseKind } from './responses.ts';

/** Responds to an interaction. Never throws. */
export type InteractionHandler = (interaction: APIInteraction, transport: ResponseTransport) => Promise<void>;

/**
 * True if we answer the use of a command, by what Discord sends of it, with the guild in which it is registered (null for
 * all), and by the id of the interaction.
 */
export type IsOwnCommand = (
  command: NamedCommand & { readonly id: string; readonly scope: string | null },
  interactionId: string,
) => Promise<boolean>;

/** Where a command is used, and by whom. */
export type CommandPlace = Pick<CommandInput, 'guildId' | 'userId'>;

type Localized<Context> = Context & { readonly texts: Texts };

interface InteractionsOptions<Context extends Omit<AnsweringContext, 'texts'>> {
  readonly commands: readonly SlashCommand<NoInfer<Localized<Context>>>[];
  /** Commands that are not offered, but whose buttons may be under earlier messages. */
  readonly retired?: readonly SlashCommand<NoInfer<Localized<Context>>>[];
  /** The context of a command where it is used, without the texts, which depend on the member. May reject. */
  readonly contextFor: (place: CommandPlace) => Context | Promise<Context>;
  /** True if we answer this use of a command: another program may have one of the same name. May reject. */
  readonly isOwnCommand: IsOwnCommand;
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when another program has answered an interaction that we answered. */
  readonly onAnsweredByAnother?: () => void;
  /** A notice for the member after the response; null for none. Each is returned once. */
  readonly noticeFor?: (userId: string, texts: Texts) => Promise<Reply | null>;
  /** Called after the response was sent or has failed; `tookMs` is measured from the interaction on. */
  readonly onAnswered?: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
  /** Called with the input of every command and component, after the response. */
  readonly onMemberSeen?: (input: CommandInput, command: CommandDefinition) => void;
  /** Ends waiting for what replaces a reply later. */
  readonly stopped?: AbortSignal;
}

/** A reply that takes longer is deferred (ms): Discord expects a first response within 3 s. */
const deferAfterMs = 1 * second;
/** For a deferred reply, from the interaction on (ms). */
const replyTimeoutMs = 15 * second;
/** "Interaction tokens are valid for 15 minutes", with a margin (ms). */
const maxWaitMs = 14 * minute;
/** Messages that wait at the same time, so that what they poll stays bounded. */
const maxWaiting = 25;

type CommandResult =
  | { readonly reply: Reply | Panel; readonly failed: boolean }
  /** An open form is neither a success nor a failure yet; it counts as a reply. */
  | { readonly modal: Modal; readonly failed: false };

interface Use<Context> {
  readonly command: SlashCommand<Context>;
  readonly input: CommandInput;
  readonly responder: InteractionResponder;
  /** In the language of the member. */
  readonly texts: Texts;
}

/**
 * Responds to our own commands and components, and ignores those of other programs. A command responds with its result, or
 * with an error message: within a second if possible, otherwise it is deferred and responds within 15 s of the
 * interaction. Discord: "Receiving and Responding to Interactions".
 */
export class Interactions<Unlocalized extends Omit<AnsweringContext, 'texts'>> {
  readonly #options: InteractionsOptions<Unlocalized>;
  readonly #byName: ReadonlyMap<string, SlashCommand<Localized<Unlocalized>>>;
  readonly #errors: ReturnType<typeof createErrorReplies>;
  #waiting = 0;
  /** A command returns the same reply again while its data is cached, so that it is rendered once. */
  readonly #render = memoizeByIdentity((reply: Reply | Panel, { name }: CommandDefinition) => renderReply(reply, name));

  constructor(options: InteractionsOptions<Unlocalized>) {
    const { commands, retired = [], clock, log } = options;
    this.#options = options;
    this.#byName = new Map([...retired, ...commands].map((command) => [command.name, command]));
    this.#errors = createErrorReplies({ clock, log });
  }

  /** Never rejects: errors are reported to the member, and in detail in the log. */
  async handle(interaction: APIInteraction, transport: ResponseTransport): Promise<void> {
    const { log, onAnsweredByAnother = () => {} } = this.#options;
    try {
      await this.#dispatch(interaction, transport);
    } catch (error) {
      const fields = { interaction: interaction.id, reason: messageOf(error) };
      if (isAnsweredAlready(error)) onAnsweredByAnother();
      if (isExpired(error))
        log.warn(fields, 'response rejected by Discord: the interaction has expired or was answered already');
      else log.error(fields, 'response could not be sent to Discord');
    }
  }

  async #dispatch(interaction: APIInteraction, transport: ResponseTransport): Promise<void> {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        if (!isSlashOrUserCommand(interaction)) return this.#ignore(interaction);
        return this.#handleCommand(interaction, transport);
      case InteractionType.ApplicationCommandAutocomplete:
        return this.#handleAutocomplete(interaction, transport);
      case InteractionType.MessageComponent:
      case InteractionType.ModalSubmit:
        return this.#handleAction(interaction, transport);
      default:
        return this.#ignore(interaction);
    }
  }

  async #handleCommand(
    interaction: APIChatInputApplicationCommandInteraction | APIUserApplicationCommandInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { commands, isOwnCommand, languages } = this.#options;
    const { id, name, type, guild_id: scope = null } = interaction.data;
    if (!(await isOwnCommand({ id, name, type, scope }, interaction.id))) return this.#ignore(interaction);
    const command = findCommand(commands, { type, name }, languages);
    const visibility = visibilityOf(command, interaction);
    const responder = createResponder(transport, { visibility, mayOpenModal: true });
    if (command !== undefined) return this.#run(command, toCommandInput(interaction), responder);
    const texts = this.#textsOf(interaction);
    await responder.reject(errorBody(texts.text('failure.unknownCommand'), texts));
  }

  async #handleAutocomplete(
    interaction: APIApplicationCommandAutocompleteInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { commands, isOwnCommand, languages, log } = this.#options;
    const { id, name, type, guild_id: scope = null } = interaction.data;
    if (!(await isOwnCommand({ id, name, type, scope }, interaction.id))) return this.#ignore(interaction);
    const place = { guildId: guildOf(interaction), userId: userOf(interaction).id };
    const context = { ...(await this.#options.contextFor(place)), texts: this.#textsOf(interaction) };
    await autocomplete(interaction, findCommand(commands, { type, name }, languages), context, { transport, log });
  }

  async #handleAction(
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    if (!isOwnCustomId(interaction.data.custom_id)) return this.#ignore(interaction);
    const id = decodeCustomId(interaction.data.custom_id);
    const command = id === null ? undefined : this.#byName.get(id.command);
    const isComponent = interaction.type === InteractionType.MessageComponent;
    const responder = createResponder(transport, {
      message: interaction.message,
      visibility: visibilityOf(command, interaction),
      mayOpenModal: isComponent,
    });
    const isButton = isComponent && interaction.data.component_type === ComponentType.Button;
    const isPage = id?.action === null && isButton;
    const isKnown = isPage ? command?.hasPages : id?.action && command?.actions?.includes(id.action);
    if (id !== null && command !== undefined && isKnown) {
      return this.#run(command, toActionInput(interaction, id), responder);
    }
    const texts = this.#textsOf(interaction);
    await responder.reject(errorBody(texts.text('failure.unknownButton'), texts));
  }

  /** If two programs responded to one interaction, only one response would succeed. */
  #ignore({ id, type }: Pick<APIInteraction, 'id' | 'type'>): void {
    this.#options.log.debug({ interaction: id, type }, 'interaction of another program ignored');
  }

  #textsOf({ locale, guild_locale }: UserInteraction): Texts {
    return this.#options.languages.for(locale, guild_locale);
  }

  /** Rejects if the response could not be sent. */
  async #run(
    command: SlashCommand<Localized<Unlocalized>>,
    input: CommandInput,
    responder: InteractionResponder,
  ): Promise<void> {
    const { languages, clock, onAnswered = () => {}, onMemberSeen = () => {} } = this.#options;
    const texts = languages.for(input.locale, input.guildLocale);
    const startedAt = clock.monotonic();
    let failed = true;
    try {
      failed = await this.#respond({ command, input, responder, texts }, startedAt);
    } finally {
      onAnswered(command.name, failed ? 'failed' : 'answered', clock.monotonic() - startedAt);
      if (command.notesMember !== false) onMemberSeen(input, command);
    }
  }

  /** Resolves after the response was sent. Returns whether it was an error message. */
  async #respond(use: Use<Localized<Unlocalized>>, startedAt: number): Promise<boolean> {
    const { clock } = this.#options;
    const { command, input, responder, texts } = use;
    if (command.defaultMemberPermissions === 'ManageGuild' && !input.isManager) {
      await responder.reject(errorBody(texts.text('failure.managersOnly'), texts));
      return true;
    }
    const execution = this.#execute(use);
    const immediate = await settleWithin(deferAfterMs, clock, execution);
    if (immediate !== undefined) {
      const result = 'modal' in immediate ? await this.#openModal(use, immediate.modal) : immediate;
      if (result === 'opened') return false;
      await (result.failed
        ? responder.reject(this.#render(result.reply, command))
        : this.#send(responder.reply, result.reply, use));
      await this.#sendNotice(use);
      return result.failed;
    }
    await responder.deferReply();
    const remainingMs = Math.max(0, startedAt + replyTimeoutMs - clock.monotonic());
    const late = (await settleWithin(remainingMs, clock, execution)) ?? this.#tooLate(use, replyTimeoutMs);
    // After a deferral, Discord accepts no modal.
    const result = 'modal' in late ? this.#tooLate(use, deferAfterMs) : late;
    await (result.failed
      ? responder.rejectDeferred(this.#render(result.reply, command))
      : this.#send(responder.editReply, result.reply, use));
    await this.#sendNotice(use);
    return result.failed;
  }

  async #execute({ command, input, texts }: Use<Localized<Unlocalized>>): Promise<CommandResult> {
    try {
      const context = { ...(await this.#options.contextFor(input)), texts };
      const { listings } = context;
      const isUnlinked = input.guildId !== null && context.communities?.length === 0;
      if (isUnlinked && !command.worksWithoutListing) return { reply: noListing(context), failed: true };
      if (command.isServedBy?.(listings) === false) {
        const reply =
          listings.length > 0 ? errorReply(texts.text('failure.unknownCommand'), texts) : noListing(context);
        return { reply, failed: true };
      }
      const result = await command.execute(input, context);
      if ('kind' in result && result.kind === 'modal') return { modal: result, failed: false };
      return { reply: result, failed: false };
    } catch (error) {
      return { reply: this.#errors.ofError(command.name, error, texts), failed: true };
    }
  }

  #tooLate({ command, texts }: Pick<Use<never>, 'command' | 'texts'>, timeoutMs: number) {
    return { reply: this.#errors.tooLate(command.name, timeoutMs, texts), failed: true };
  }

  /**
   * Sends a reply, without its picture if Discord rejects that, such as for a permission that the interaction does not
   * show.
   */
  async #send(
    respondWith: InteractionResponder['reply'],
    reply: Reply | Panel,
    use: Use<Localized<Unlocalized>>,
  ): Promise<void> {
    const { command, input, responder } = use;
    const kind = responseKind(reply, input);
    const render = (shown: Reply | Panel) => {
      const isPanelUpdate = responseKind(shown, input) === 'update' && responder.updatesPanel;
      return this.#render(isPanelUpdate ? asPanel(shown) : shown, command);
    };
    try {
      await respondWith(render(reply), kind);
      if (reply.later === undefined) return;
      // A new message after a deferral cannot be replaced.
      const isDeferred = respondWith === responder.editReply;
      const isReplaceable = !isDeferred || input.action === null || kind === 'update';
      const replace = (next: Reply | Panel) => responder.replaceReply(render(next), kind);
      if (isReplaceable) void this.#replaceLater(command.name, reply.later, replace);
    } catch (error) {
      const isRejected = error instanceof DiscordAPIError && !isExpired(error);
      if (!isRejected || isPanel(reply) || reply.image === undefined) throw error;
      const fields = { command: command.name, reason: messageOf(error) };
      this.#options.log.warn(fields, 'picture rejected by Discord; replying without it');
      await respondWith(render({ ...reply, files: [] }), kind);
    }
  }

  /** Waits, unless too many do. Never rejects. @param replace shows the message; its errors are logged */
  async #replaceLater(
    command: string,
    later: Later,
    replace: (reply: Reply | Panel) => Promise<unknown>,
  ): Promise<void> {
    const { clock, log, stopped } = this.#options;
    if (this.#waiting >= maxWaiting || stopped?.aborted) return;
    const ended = new AbortController();
    const signal = stopped === undefined ? ended.signal : AbortSignal.any([stopped, ended.signal]);
    void clock.sleep(maxWaitMs, signal).then(() => ended.abort());
    this.#waiting += 1;
    try {
      const reply = await later(signal);
      if (reply !== null && !signal.aborted) await replace(reply);
    } catch (error) {
      log.warn({ command, reason: messageOf(error) }, 'a reply could not be updated later');
    } finally {
      ended.abort();
      this.#waiting -= 1;
    }
  }

  async #sendNotice({ input, responder, texts }: Omit<Use<never>, 'command'>): Promise<void> {
    const { noticeFor = async () => null, log } = this.#options;
    try {
      const notice = await noticeFor(input.userId, texts);
      if (notice !== null) await responder.followUp(renderReply(notice, ''));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a notice to a member could not be sent');
    }
  }

  async #openModal(
    { command, responder: { showModal }, texts }: Use<Localized<Unlocalized>>,
    modal: Modal,
  ): Promise<'opened' | { reply: Reply; failed: true }> {
    let body: ReturnType<typeof renderModal>;
    try {
      if (showModal === null) throw new Error('A modal cannot open another modal.');
      body = renderModal(modal, command.name);
    } catch (error) {
      return { reply: this.#errors.ofError(command.name, error, texts), failed: true };
    }
    await showModal(body);
    return 'opened';
  }
}

function isSlashOrUserCommand(interaction: {
  readonly data: { readonly type: ApplicationCommandType };
}): interaction is APIChatInputApplicationCommandInteraction | APIUserApplicationCommandInteraction {
  const { ChatInput, User } = ApplicationCommandType;
  return interaction.data.type === ChatInput || interaction.data.type === User;
}

/** Where only the member has the app, others have not asked for it. */
function visibilityOf(
  command: CommandDefinition | undefined,
  interaction: UserInteraction,
): CommandDefinition['visibility'] {
  return command === undefined || isOutside(interaction) ? 'private' : command.visibility;
}

/** The parts of an interaction that tell whose it is: of one of discord.js, or as Discord sent it. @category Commands */
export interface AnyInteraction {
  readonly id?: string;
  readonly type: number;
  /** In an interaction of discord.js. */
  readonly commandId?: string;
  readonly commandName?: string;
  readonly commandType?: number;
  readonly customId?: string;
  /** In an interaction as Discord sends it. */
  readonly data?: {
    readonly id?: string;
    readonly name?: string;
    readonly type?: number;
    readonly custom_id?: string;
  } | null;
}

/**
 * True if this program answers the interaction: one of its commands, buttons, selects or modals.
 * @param isKnown whether this program answers the use of a command
 */
export function isOwnInteraction(
  interaction: AnyInteraction,
  isKnown: (command: NamedCommand & { readonly id: string }, interactionId: string | undefined) => boolean,
): boolean {
  const { type, data } = interaction;
  const { ChatInput, User } = ApplicationCommandType;
  function isCommand(commandType: number | undefined): boolean {
    const id = interaction.commandId ?? data?.id ?? '';
    const name = interaction.commandName ?? data?.name ?? '';
    const isAnswered = commandType === ChatInput || commandType === User;
    return isAnswered && isKnown({ id, name, type: commandType }, interaction.id);
  }
  switch (type) {
    case InteractionType.ApplicationCommand:
      return isCommand(interaction.commandType ?? data?.type);
    case InteractionType.ApplicationCommandAutocomplete:
      return isCommand(ChatInput);
    case InteractionType.MessageComponent:
    case InteractionType.ModalSubmit:
      return isOwnCustomId(interaction.customId ?? data?.custom_id ?? '');
    default:
      return false;
  }
}

/** Discord shows choices that arrive within 3 s (ms). Members type on, so late ones are of no use. */
const choicesTimeoutMs = 1 * second;
/** Discord: "Application Command Option Choice Structure" (characters). */
const maxChoiceLength = 100;

/** Responds with the choices of the command; with none after an error or a second, or if it is not allowed. */
async function autocomplete<Context extends AnsweringContext>(
  interaction: AutocompleteInteraction,
  command: SlashCommand<Context> | undefined,
  context: Context,
  { transport, log }: { readonly transport: ResponseTransport; readonly log: Log },
): Promise<void> {
  try {
    const choices = validChoices(await choicesOf(interaction, command, context, log));
    await transport.respond({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
  } catch (error) {
    // Common, because Discord drops an interaction when the member types the next character.
    const fields = { command: interaction.data.name, reason: messageOf(error) };
    log[isExpired(error) ? 'debug' : 'warn'](fields, 'choices could not be sent to Discord');
  }
}

async function choicesOf<Context extends AnsweringContext>(
  interaction: AutocompleteInteraction,
  command: SlashCommand<Context> | undefined,
  context: Context,
  log: Log,
): Promise<readonly CommandChoice[]> {
  const isAllowed = command?.defaultMemberPermissions === undefined || isManager(interaction);
  if (command?.autocomplete === undefined || !isAllowed) return [];
  const search = command.autocomplete(toCompletionInput(interaction), context).catch((error: unknown) => {
    log.error({ command: command.name, err: error }, 'autocomplete failed');
    return [];
  });
  return (await settleWithin(choicesTimeoutMs, context.clock, search)) ?? [];
}

/** The choices that Discord accepts: one wrong choice makes it reject all. */
function validChoices(choices: readonly CommandChoice[]): CommandChoice[] {
  return choices
    .map(({ name, value }) => ({ name: plainName(name, maxChoiceLength), value }))
    .filter(({ name, value }) => name !== '' && value !== '' && value.length <= maxChoiceLength)
    .slice(0, maxChoices);
}
