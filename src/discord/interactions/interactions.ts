import { DiscordAPIError } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import type { Tracing } from '@tallyhook/platform/tracing/tracing';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUserApplicationCommandInteraction,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
} from 'discord-api-types/v10';
import type { AppTexts, Texts } from '../../texts/texts.ts';
import {
  type AnsweringContext,
  type CommandDefinition,
  findCommand,
  type NamedCommand,
  type SlashCommand,
} from '../commands/command.ts';
import type { CommandInput } from '../commands/input.ts';
import { noListing } from '../commands/offers.ts';
import type { Modal, Panel, Reply } from '../commands/reply.ts';
import { isAnsweredAlready, isExpired } from '../discord-errors.ts';
import { decodeCustomId, isOwnCustomId } from '../rendering/components.ts';
import { asPanel, isPanel, type MessageBody, renderReply } from '../rendering/message.ts';
import { renderModal } from '../rendering/modal.ts';
import { autocomplete } from './autocomplete.ts';
import { guildOf, isOutside, toActionInput, toCommandInput, type UserInteraction, userOf } from './command-input.ts';
import { createErrorReplies, errorBody, errorReply } from './error-replies.ts';
import { createLaterReplies } from './later-replies.ts';
import {
  commandResponder,
  componentResponder,
  type InteractionResponder,
  modalResponder,
  type ResponseKind,
  type ResponseTransport,
  responseKind,
} from './responses.ts';

/**
 * Responds to our own commands and components, and ignores those of other programs. Never throws: errors are reported
 * to the member, and in detail in the log.
 */
export type InteractionHandler = (interaction: APIInteraction, transport: ResponseTransport) => Promise<void>;

/**
 * Whether we answer the use of a command, by what Discord sends of it, with the guild in which it is registered (null for
 * all), and by the id of the interaction.
 */
export type IsOwnCommand = (
  command: NamedCommand & { readonly id: string; readonly scope: string | null },
  interactionId: string,
) => Promise<boolean>;

/** The context with the texts in the language of the member. */
type Localized<Context> = Context & { readonly texts: Texts };

/** Runs our commands as {@link createCommandRunner} says. A command that no listing of the community can serve says so. */
export function createInteractions<Unlocalized extends Omit<AnsweringContext, 'texts'>>(
  options: Omit<CommandRunnerOptions<Localized<Unlocalized>>, 'localContextFor'> & {
    commands: readonly SlashCommand<NoInfer<Localized<Unlocalized>>>[];
    /**
     * What a command can use where it is used, without the texts, which depend on the member. Returns the same object for
     * the same settings, at once unless the database must be asked. May reject.
     */
    contextFor: (place: CommandPlace) => Unlocalized | Promise<Unlocalized>;
    /** Commands that are not offered, but whose buttons may be under earlier messages. */
    retired?: readonly SlashCommand<NoInfer<Localized<Unlocalized>>>[];
    /** Whether we answer this use of a command: another program may have one of the same name. May reject. */
    isOwnCommand: IsOwnCommand;
    /** Called when another program has answered an interaction that we answered. */
    onAnsweredByAnother?: () => void;
  },
): InteractionHandler {
  const { commands, retired = [], contextFor, isOwnCommand, languages, onAnsweredByAnother = () => {}, log } = options;
  /** In the language of the member. */
  const textsOf = ({ locale, guild_locale }: UserInteraction): Texts => languages.for(locale, guild_locale);
  const actionsByName = new Map([...retired, ...commands].map((command) => [command.name, command]));
  const localize = memoizeByIdentity((context: Unlocalized, texts: Texts): Localized<Unlocalized> => {
    return { ...context, texts };
  });
  const run = createCommandRunner<Localized<Unlocalized>>({ ...options, languages, localContextFor });

  function localContextFor(
    place: CommandPlace,
    texts: Texts,
  ): Localized<Unlocalized> | Promise<Localized<Unlocalized>> {
    const context = contextFor(place);
    return context instanceof Promise ? context.then((each) => localize(each, texts)) : localize(context, texts);
  }

  async function handleCommand(
    interaction: APIChatInputApplicationCommandInteraction | APIUserApplicationCommandInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { id, name, type, guild_id: scope = null } = interaction.data;
    if (!(await isOwnCommand({ id, name, type, scope }, interaction.id))) return ignore(interaction);
    const command = findCommand(commands, { type, name }, languages);
    const responder = commandResponder(transport, visibilityOf(command, interaction));
    if (command !== undefined) return run(command, toCommandInput(interaction), responder);
    const texts = textsOf(interaction);
    await responder.reject(errorBody(texts.text('failure.unknownCommand'), texts));
  }

  async function handleAutocomplete(
    interaction: APIApplicationCommandAutocompleteInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { id, name, type, guild_id: scope = null } = interaction.data;
    if (!(await isOwnCommand({ id, name, type, scope }, interaction.id))) return ignore(interaction);
    const place = { guildId: guildOf(interaction), userId: userOf(interaction).id };
    const context = await localContextFor(place, textsOf(interaction));
    await autocomplete(interaction, findCommand(commands, { type, name }, languages), context, { transport, log });
  }

  async function handleAction(
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    if (!isOwnCustomId(interaction.data.custom_id)) return ignore(interaction);
    const id = decodeCustomId(interaction.data.custom_id);
    const command = id === null ? undefined : actionsByName.get(id.command);
    const isComponent = interaction.type === InteractionType.MessageComponent;
    const responder = isComponent
      ? componentResponder(transport, interaction.message)
      : modalResponder(transport, interaction, visibilityOf(command, interaction));
    const isButton = isComponent && interaction.data.component_type === ComponentType.Button;
    const isPage = id?.action === null && isButton;
    const isKnown = isPage ? command?.hasPages : id?.action && command?.actions?.includes(id.action);
    if (id !== null && command !== undefined && isKnown) {
      return run(command, toActionInput(interaction, id), responder);
    }
    const texts = textsOf(interaction);
    await responder.reject(errorBody(texts.text('failure.unknownButton'), texts));
  }

  /** If two programs responded to one interaction, only one response would succeed. */
  function ignore({ id, type }: Pick<APIInteraction, 'id' | 'type'>): void {
    log.debug({ interaction: id, type }, 'interaction of another program ignored');
  }

  async function handle(interaction: APIInteraction, transport: ResponseTransport): Promise<void> {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        if (isSlashOrUserCommand(interaction)) return handleCommand(interaction, transport);
        return ignore(interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        return handleAutocomplete(interaction, transport);
      case InteractionType.MessageComponent:
      case InteractionType.ModalSubmit:
        return handleAction(interaction, transport);
      default:
        return ignore(interaction);
    }
  }

  return async (interaction, transport) => {
    try {
      await handle(interaction, transport);
    } catch (error) {
      const fields = { interaction: interaction.id, reason: messageOf(error) };
      if (isAnsweredAlready(error)) onAnsweredByAnother();
      if (isExpired(error))
        log.warn(fields, 'response rejected by Discord: the interaction has expired or was answered already');
      else log.error(fields, 'response could not be sent to Discord');
    }
  };
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

/**
 * Discord expects a first response within 3 s. A reply that takes longer than this is deferred, which leaves time for
 * the network (ms).
 */
const deferAfterMs = 1 * second;
/** For a deferred reply, from the interaction on (ms). */
const replyTimeoutMs = 15 * second;

/** What a command returned, or an error message. */
type CommandResult =
  | { readonly reply: Reply | Panel; readonly failed: boolean }
  /** An open form is neither a success nor a failure yet; it counts as a reply. */
  | { readonly modal: Modal; readonly failed: false };

/** Where a command is used, and by whom. */
export type CommandPlace = Pick<CommandInput, 'guildId' | 'userId'>;

/** What a run of a command needs and reports. */
export interface CommandRunnerOptions<Context> {
  /** What a command can use where it is used, in the language of the member. May reject. */
  readonly localContextFor: (place: CommandPlace, texts: Texts) => Context | Promise<Context>;
  /** Default: the texts of tallyhook. */
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly log: Log;
  /** A notice for the member after the response; null for none. Each is returned once. */
  readonly noticeFor?: (userId: string, texts: Texts) => Promise<Reply | null>;
  /** Called after the response was sent or has failed; `tookMs` is measured from the interaction on. */
  readonly onAnswered?: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
  /** Called with the input of every command and component, after the response. */
  readonly onMemberSeen?: (input: CommandInput, command: CommandDefinition) => void;
  readonly tracing?: Tracing | null;
  /** Ends waiting for what replaces a reply later. */
  readonly stopped?: AbortSignal;
}

/** One use of a command. */
interface Use<Context> {
  readonly command: SlashCommand<Context>;
  readonly input: CommandInput;
  readonly responder: InteractionResponder;
  /** In the language of the member. */
  readonly texts: Texts;
}

/**
 * Runs a command and responds with its result, or with an error message: within a second if possible, otherwise it
 * defers and responds within 15 s of the interaction. Discord: "Receiving and Responding to Interactions". Rejects if
 * the response could not be sent.
 */
export function createCommandRunner<Context extends AnsweringContext>(options: CommandRunnerOptions<Context>) {
  const { localContextFor, languages, clock, log, tracing = null } = options;
  const { onAnswered = () => {}, onMemberSeen = () => {}, noticeFor = async () => null } = options;
  const errors = createErrorReplies({ clock, log });
  const laterReplies = createLaterReplies({ clock, log, stopped: options.stopped ?? new AbortController().signal });

  /** A command returns the same reply again while its data is cached, so that it is rendered once. */
  const renderOnce = memoizeByIdentity((reply: Reply | Panel, { name }: CommandDefinition) => renderReply(reply, name));
  const renderAsPanelOnce = memoizeByIdentity((reply: Reply | Panel, { name }: CommandDefinition) =>
    renderReply(asPanel(reply), name),
  );

  async function execute({ command, input, texts }: Use<Context>): Promise<CommandResult> {
    try {
      const pending = localContextFor(input, texts);
      const context = pending instanceof Promise ? await pending : pending;
      const isUnlinked = input.guildId !== null && context.communities?.length === 0;
      if (isUnlinked && !command.worksWithoutListing) return { reply: noListing(context), failed: true };
      if (command.isServedBy?.(context.listings) === false) return { reply: notServed(context, texts), failed: true };
      const result = await command.execute(input, context);
      if ('kind' in result && result.kind === 'modal') return { modal: result, failed: false };
      return { reply: result, failed: false };
    } catch (error) {
      return { reply: errors.ofError(command.name, error, texts), failed: true };
    }
  }

  function notServed(context: Context, texts: Texts): Reply {
    return context.listings.length > 0 ? errorReply(texts.text('failure.unknownCommand'), texts) : noListing(context);
  }

  function tooLate({ command, texts }: Use<Context>, timeoutMs: number): CommandResult & { reply: Reply } {
    return { reply: errors.tooLate(command.name, timeoutMs, texts), failed: true };
  }

  /** Returns whether the response was an error message. */
  async function runAndReport(use: Use<Context>): Promise<boolean> {
    const { command, input } = use;
    const startedAt = clock.monotonic();
    let failed = true;
    try {
      failed = await respond(use, startedAt);
      return failed;
    } finally {
      onAnswered(command.name, failed ? 'failed' : 'answered', clock.monotonic() - startedAt);
      if (command.notesMember !== false) onMemberSeen(input, command);
    }
  }

  /** Resolves after the response was sent. Returns whether it was an error message. */
  async function respond(use: Use<Context>, startedAt: number): Promise<boolean> {
    const { command, input, responder, texts } = use;
    if (command.defaultMemberPermissions === 'ManageGuild' && !input.isManager) {
      await responder.reject(errorBody(texts.text('failure.managersOnly'), texts));
      return true;
    }
    const execution = execute(use);
    const immediate = await settleWithin(deferAfterMs, clock, execution);
    if (immediate !== undefined) {
      const result = 'modal' in immediate ? await openModal(use, immediate.modal) : immediate;
      if (result === 'opened') return false;
      await (result.failed
        ? responder.reject(renderOnce(result.reply, command))
        : send(responder.reply, result.reply, use));
      await sendNotice(use);
      return result.failed;
    }
    await responder.deferReply();
    const remainingMs = Math.max(0, startedAt + replyTimeoutMs - clock.monotonic());
    const late = (await settleWithin(remainingMs, clock, execution)) ?? tooLate(use, replyTimeoutMs);
    // After a deferral, Discord accepts no modal.
    const result = 'modal' in late ? tooLate(use, deferAfterMs) : late;
    await (result.failed
      ? responder.rejectDeferred(renderOnce(result.reply, command))
      : send(responder.editReply, result.reply, use));
    await sendNotice(use);
    return result.failed;
  }

  /** Without its picture if Discord rejects it, such as for a missing permission that the interaction does not show. */
  async function send(
    respondWith: InteractionResponder['reply'],
    reply: Reply | Panel,
    use: Use<Context>,
  ): Promise<void> {
    const { command, input, responder } = use;
    try {
      await respondWith(...render(reply, use));
      if (reply.later === undefined) return;
      const isDeferred = respondWith === responder.editReply;
      laterReplies.watch(command.name, reply, { input, isDeferred }, (next) => {
        const [body] = render(next, use);
        return responder.replaceReply(body, responseKind(reply, input));
      });
    } catch (error) {
      const isRejected = error instanceof DiscordAPIError && !isExpired(error);
      if (!isRejected || isPanel(reply) || reply.image === undefined) throw error;
      log.warn({ command: command.name, reason: messageOf(error) }, 'picture rejected by Discord; replying without it');
      await respondWith(...render({ ...reply, files: [] }, use));
    }
  }

  function render(reply: Reply | Panel, { command, input, responder }: Use<Context>): [MessageBody, ResponseKind] {
    const kind = responseKind(reply, input);
    const isPanelUpdate = kind === 'update' && responder.updatesPanel;
    return [isPanelUpdate ? renderAsPanelOnce(reply, command) : renderOnce(reply, command), kind];
  }

  async function sendNotice({ input, responder, texts }: Use<Context>): Promise<void> {
    try {
      const notice = await noticeFor(input.userId, texts);
      if (notice !== null) await responder.followUp(renderReply(notice, ''));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a notice to a member could not be sent');
    }
  }

  async function openModal(
    { command, responder: { showModal }, texts }: Use<Context>,
    modal: Modal,
  ): Promise<'opened' | { reply: Reply; failed: true }> {
    let body: ReturnType<typeof renderModal>;
    try {
      if (showModal === null) throw new Error('A modal cannot open another modal.');
      body = renderModal(modal, command.name);
    } catch (error) {
      return { reply: errors.ofError(command.name, error, texts), failed: true };
    }
    await showModal(body);
    return 'opened';
  }

  return async (
    command: SlashCommand<Context>,
    input: CommandInput,
    responder: InteractionResponder,
  ): Promise<void> => {
    const use = { command, input, responder, texts: languages.for(input.locale, input.guildLocale) };
    if (tracing === null) await runAndReport(use);
    else await traceCommand(tracing, command, input, () => runAndReport(use));
  };
}

/**
 * Runs a command in a span of its own trace, without what the member has entered.
 * @param run returns whether the response was an error message
 */
export async function traceCommand(
  tracing: Tracing,
  { name }: CommandDefinition,
  { action, guildId, interactionId }: Pick<CommandInput, 'action' | 'guildId' | 'interactionId'>,
  run: () => Promise<boolean>,
): Promise<void> {
  const attributes = {
    'tallyhook.command': name,
    'tallyhook.action': action ?? undefined,
    'discord.guild.id': guildId ?? undefined,
    'discord.interaction.id': interactionId,
  };
  await tracing.span(`command ${name}`, { kind: 'server', parent: null, attributes }, async (span) => {
    const failed = await run();
    span.set({ 'tallyhook.outcome': failed ? 'failed' : 'answered' });
    if (failed) span.fail('failed');
  });
}

/** What tells whose an interaction is: of one of discord.js, or as Discord sent it. @category Commands */
export interface AnyInteraction {
  readonly id?: string;
  readonly type: number;
  /** Of discord.js. */
  readonly commandId?: string;
  readonly commandName?: string;
  readonly commandType?: number;
  readonly customId?: string;
  /** Of Discord. */
  readonly data?: {
    readonly id?: string;
    readonly name?: string;
    readonly type?: number;
    readonly custom_id?: string;
  } | null;
}

/**
 * Whether this program answers the interaction: one of its commands, buttons, selects or modals.
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
