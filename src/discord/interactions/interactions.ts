import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  ComponentType,
  DiscordAPIError,
  InteractionType,
} from 'discord.js';
import type { Command, CommandContext, CommandInput } from '../../../commands/command.ts';
import type { Modal, Panel, Reply } from '../../../commands/reply.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { memoizeByIdentity } from '../../platform/memoize.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import type { Markup } from '../../texts/markup.ts';
import { type Texts, textsFor } from '../../texts/texts.ts';
import { expiredCodes } from '../discord-errors.ts';
import { decodeCustomId, isOwnCustomId } from '../rendering/custom-id.ts';
import { asPanel, isPanel, type MessageBody, renderReply } from '../rendering/message.ts';
import { renderModal } from '../rendering/modal.ts';
import { createAutocomplete } from './autocomplete.ts';
import { isOutside, toActionInput, toCommandInput, type UserInteraction } from './command-input.ts';
import { createErrorReplies, errorReply } from './error-replies.ts';
import {
  commandResponder,
  componentResponder,
  type InteractionResponder,
  modalResponder,
  type ResponseKind,
} from './responder.ts';
import type { ResponseTransport } from './transport.ts';

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

/**
 * Responds to our own commands and components, and ignores those of other programs. Never throws: errors are reported
 * to the member, and in detail in the log.
 */
export type InteractionHandler = (interaction: APIInteraction, transport: ResponseTransport) => Promise<void>;

/**
 * Replies within a second if possible; otherwise defers and replies within 15 s of the interaction. Discord: "Receiving
 * and Responding to Interactions". A command that no configured listing can serve is reported as unknown.
 */
export function createInteractions(options: {
  commands: readonly Command[];
  /** Without the texts, which depend on the member. */
  context: Omit<CommandContext, 'texts'>;
  /** Whether we registered the command of this id: another program may have one of the same name. May reject. */
  isOwnCommand: (commandId: string) => Promise<boolean>;
  log: Log;
  /** A notice for the member after the response; null for none. Each is returned once. */
  noticeFor?: (userId: string, texts: Texts) => Promise<Reply | null>;
  /** Called after the response was sent or has failed; `tookMs` is measured from the interaction on. */
  onAnswered?: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
  /** Called with the input of every command and component, after the response. */
  onMemberSeen?: (input: CommandInput, command: Command) => void;
}): InteractionHandler {
  const { commands, context, isOwnCommand, log } = options;
  const { onAnswered = () => {}, onMemberSeen = () => {}, noticeFor = async () => null } = options;
  const { clock } = context;
  const errors = createErrorReplies({ clock, log });
  const commandsByName = new Map(
    commands.filter((command) => command.isServedBy(context.listings)).map((command) => [command.name, command]),
  );

  const autocomplete = createAutocomplete(log);

  /** A command returns the same reply again while its data is cached, so that it is rendered once. */
  const renderOnce = memoizeByIdentity((reply: Reply | Panel, command: Command) => renderReply(reply, command.name));
  const renderAsPanelOnce = memoizeByIdentity((reply: Reply | Panel, command: Command) =>
    renderReply(asPanel(reply), command.name),
  );

  const contexts = new Map<Texts, CommandContext>();
  function contextIn(texts: Texts): CommandContext {
    let localized = contexts.get(texts);
    if (localized === undefined) {
      localized = { ...context, texts };
      contexts.set(texts, localized);
    }
    return localized;
  }

  async function execute(command: Command, input: CommandInput): Promise<CommandResult> {
    const texts = textsOf(input);
    try {
      const result = await command.execute(input, contextIn(texts));
      if ('kind' in result && result.kind === 'modal') return { modal: result, failed: false };
      return { reply: result, failed: false };
    } catch (error) {
      return { reply: errors.ofError(command.name, error, texts), failed: true };
    }
  }

  function tooLate(command: string, timeoutMs: number, texts: Texts): CommandResult & { reply: Reply } {
    return { reply: errors.tooLate(command, timeoutMs, texts), failed: true };
  }

  function errorBody(text: Markup, texts: Texts): MessageBody {
    return renderReply(errorReply(text, texts), '');
  }

  async function run(command: Command, input: CommandInput, responder: InteractionResponder): Promise<void> {
    const startedAt = clock.monotonic();
    let failed = true;
    try {
      failed = await respond(command, input, responder, startedAt);
    } finally {
      onAnswered(command.name, failed ? 'failed' : 'answered', clock.monotonic() - startedAt);
      if (command.notesMember !== false) onMemberSeen(input, command);
    }
  }

  /** Resolves after the response was sent. Returns whether it was an error message. */
  async function respond(
    command: Command,
    input: CommandInput,
    responder: InteractionResponder,
    startedAt: number,
  ): Promise<boolean> {
    const texts = textsOf(input);
    if (command.defaultMemberPermissions === 'ManageGuild' && !input.isManager) {
      await responder.reject(errorBody(texts.failure.managersOnly, texts));
      return true;
    }
    const execution = execute(command, input);
    const immediate = await settleWithin(deferAfterMs, clock, execution);
    if (immediate !== undefined) {
      const result = 'modal' in immediate ? await openModal(command, immediate.modal, responder, texts) : immediate;
      if (result === 'opened') return false;
      await (result.failed
        ? responder.reject(renderOnce(result.reply, command))
        : send(responder.reply, result.reply, command, input, responder));
      await sendNotice(input, responder);
      return result.failed;
    }
    await responder.deferReply();
    const remainingMs = Math.max(0, startedAt + replyTimeoutMs - clock.monotonic());
    const late = (await settleWithin(remainingMs, clock, execution)) ?? tooLate(command.name, replyTimeoutMs, texts);
    // After a deferral, Discord accepts no modal.
    const result = 'modal' in late ? tooLate(command.name, deferAfterMs, texts) : late;
    await (result.failed
      ? responder.rejectDeferred(renderOnce(result.reply, command))
      : send(responder.editReply, result.reply, command, input, responder));
    await sendNotice(input, responder);
    return result.failed;
  }

  /** Without its picture if Discord rejects it, such as for a missing permission that the interaction does not show. */
  async function send(
    respondWith: InteractionResponder['reply'],
    reply: Reply | Panel,
    command: Command,
    input: CommandInput,
    responder: InteractionResponder,
  ): Promise<void> {
    try {
      await respondWith(...render(reply, command, input, responder));
    } catch (error) {
      const isRejected = error instanceof DiscordAPIError && !expiredCodes.includes(error.code);
      if (!isRejected || isPanel(reply) || reply.image === undefined) throw error;
      log.warn({ command: command.name, reason: messageOf(error) }, 'picture rejected by Discord; replying without it');
      await respondWith(...render({ ...reply, files: [] }, command, input, responder));
    }
  }

  function render(
    reply: Reply | Panel,
    command: Command,
    input: CommandInput,
    { updatesPanel }: InteractionResponder,
  ): [MessageBody, ResponseKind] {
    const kind = responseKind(reply, input);
    const body = kind === 'update' && updatesPanel ? renderAsPanelOnce(reply, command) : renderOnce(reply, command);
    return [body, kind];
  }

  async function sendNotice(input: CommandInput, responder: InteractionResponder): Promise<void> {
    const { userId } = input;
    try {
      const notice = await noticeFor(userId, textsOf(input));
      if (notice !== null) await responder.followUp(renderReply(notice, ''));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a notice to a member could not be sent');
    }
  }

  async function openModal(
    command: Command,
    modal: Modal,
    { showModal }: InteractionResponder,
    texts: Texts,
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

  async function handleCommand(
    interaction: APIChatInputApplicationCommandInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { id, name } = interaction.data;
    if (!(await isOwnCommand(id))) return ignore(interaction);
    const command = commandsByName.get(name);
    const responder = commandResponder(transport, visibilityOf(command, interaction));
    if (command !== undefined) return run(command, toCommandInput(interaction), responder);
    const texts = textsOf(languageOf(interaction));
    await responder.reject(errorBody(texts.failure.unknownCommand, texts));
  }

  async function handleAutocomplete(
    interaction: APIApplicationCommandAutocompleteInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { id, name } = interaction.data;
    if (!(await isOwnCommand(id))) return ignore(interaction);
    const context = contextIn(textsOf(languageOf(interaction)));
    await autocomplete(interaction, commandsByName.get(name), context, transport);
  }

  async function handleAction(
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    if (!isOwnCustomId(interaction.data.custom_id)) return ignore(interaction);
    const id = decodeCustomId(interaction.data.custom_id);
    const command = id === null ? undefined : commandsByName.get(id.command);
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
    const texts = textsOf(languageOf(interaction));
    await responder.reject(errorBody(texts.failure.unknownButton, texts));
  }

  /** If two programs responded to one interaction, only one response would succeed. */
  function ignore({ id, type }: Pick<APIInteraction, 'id' | 'type'>): void {
    log.debug({ interaction: id, type }, 'interaction of another program ignored');
  }

  async function handle(interaction: APIInteraction, transport: ResponseTransport): Promise<void> {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        if (isSlashCommand(interaction)) return handleCommand(interaction, transport);
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
      const isExpired = error instanceof DiscordAPIError && expiredCodes.includes(error.code);
      const fields = { interaction: interaction.id, reason: messageOf(error) };
      if (isExpired)
        log.warn(fields, 'response rejected by Discord: the interaction has expired or was answered already');
      else log.error(fields, 'response could not be sent to Discord');
    }
  };
}

function isSlashCommand(interaction: {
  readonly data: { readonly type: ApplicationCommandType };
}): interaction is APIChatInputApplicationCommandInteraction {
  return interaction.data.type === ApplicationCommandType.ChatInput;
}

function languageOf({ locale, guild_locale }: UserInteraction): Pick<CommandInput, 'locale' | 'guildLocale'> {
  return { locale, guildLocale: guild_locale ?? null };
}

function textsOf({ locale, guildLocale }: Pick<CommandInput, 'locale' | 'guildLocale'>): Texts {
  return textsFor(locale, guildLocale);
}

/** Where only the member has the app, others have not asked for it. */
function visibilityOf(command: Command | undefined, interaction: UserInteraction): Command['visibility'] {
  return command === undefined || isOutside(interaction) ? 'private' : command.visibility;
}

function responseKind({ response }: Reply | Panel, { action }: CommandInput): ResponseKind {
  return response ?? (action === null ? 'update' : 'new');
}
