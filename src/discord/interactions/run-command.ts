import { DiscordAPIError } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import type { Tracing } from '@tallyhook/platform/tracing/tracing';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { AppTexts, Texts } from '../../texts/texts.ts';
import type { AnsweringContext, CommandDefinition, SlashCommand } from '../commands/command.ts';
import type { CommandInput } from '../commands/input.ts';
import { noListing } from '../commands/no-listing.ts';
import type { Modal, Panel, Reply } from '../commands/reply.ts';
import { isExpired } from '../discord-errors.ts';
import { asPanel, isPanel, type MessageBody, renderReply } from '../rendering/message.ts';
import { renderModal } from '../rendering/modal.ts';
import { createErrorReplies, errorBody, errorReply } from './error-replies.ts';
import { createLaterReplies } from './later-replies.ts';
import { type InteractionResponder, type ResponseKind, responseKind } from './responder.ts';
import { traceCommand } from './trace-command.ts';

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
