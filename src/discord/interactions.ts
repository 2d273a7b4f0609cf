import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import type { Command, CommandContext, CommandInput, Reply } from '../../commands/command.ts';
import { LookupError } from '../lookup/lookup-error.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { memoizeByIdentity } from '../platform/memoize.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { escapeName, type Markup, timestamp } from '../texts/markup.ts';
import { decodeCustomId, isOwnCustomId, toCommandInput } from './command-input.ts';
import { type MessageBody, renderReply } from './reply.ts';
import { buttonResponder, commandResponder, type InteractionResponder } from './responder.ts';

/**
 * Discord expects a first response within 3 s. A reply that takes longer than this is deferred, which leaves time for
 * the network (ms).
 */
const deferAfterMs = 1 * second;
/** For a deferred reply, from the interaction on (ms). */
const replyTimeoutMs = 15 * second;
/** When members are asked to retry after an error that does not say when (ms). */
const defaultRetryDelayMs = 30 * second;

/** 10062 Unknown interaction: it has expired. 40060: already acknowledged, by another process. */
const expiredCodes: readonly (number | string)[] = [10_062, 40_060];

interface CommandResult {
  readonly reply: Reply;
  readonly failed: boolean;
}

/**
 * Responds to our own commands and components, and ignores those of other programs. Never throws: errors are reported
 * to the member, and in detail in the log.
 */
export type InteractionHandler = (interaction: Interaction) => Promise<void>;

/**
 * Replies within a second if possible; otherwise defers and replies within 15 s of the interaction. Discord: "Receiving
 * and Responding to Interactions". A command that no configured listing can serve is reported as unknown.
 */
export function createInteractions(options: {
  commands: readonly Command[];
  context: CommandContext;
  /** Whether we registered the command of this id: another program may have one of the same name. May reject. */
  isOwnCommand: (commandId: string) => Promise<boolean>;
  log: Log;
  /** Called after the response was sent or has failed; `tookMs` is measured from the interaction on. */
  onAnswered?: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
}): InteractionHandler {
  const { commands, context, isOwnCommand, log, onAnswered = () => {} } = options;
  const { clock, texts } = context;
  const commandsByName = new Map(
    commands.filter((command) => command.isServedBy(context.listings)).map((command) => [command.name, command]),
  );

  /** A command returns the same reply again while its data is cached, so that it is rendered once. */
  const renderOnce = memoizeByIdentity((reply: Reply, command: Command) => renderReply(reply, command.name));

  async function execute(command: Command, input: CommandInput): Promise<CommandResult> {
    try {
      return { reply: await command.execute(input, context), failed: false };
    } catch (error) {
      return { reply: errorReply(describeError(command.name, error)), failed: true };
    }
  }

  function describeError(command: string, error: unknown): Markup {
    if (error instanceof LookupError) {
      log.warn({ command, code: error.code, reason: error.message, hint: error.hint }, 'lookup failed for a command');
      return texts.failure.lookup[error.code](timestamp(error.retryAt ?? defaultRetryAt(), 'R'));
    }
    const incident = Math.floor(clock.random() * 36 ** 6)
      .toString(36)
      .padStart(6, '0');
    log.error({ command, incident, err: error }, 'command failed');
    return texts.failure.incident(escapeName(incident));
  }

  function timeoutResult(command: string): CommandResult {
    log.warn({ command, timeoutMs: replyTimeoutMs }, 'command timed out');
    return { reply: errorReply(texts.failure.tooLate(timestamp(defaultRetryAt(), 'R'))), failed: true };
  }

  function defaultRetryAt(): number {
    return clock.now() + defaultRetryDelayMs;
  }

  function errorReply(text: Markup): Reply {
    return { tone: 'bad', title: texts.failure.title, text };
  }

  function errorBody(text: Markup): MessageBody {
    return renderReply(errorReply(text), '');
  }

  async function run(command: Command, input: CommandInput, responder: InteractionResponder): Promise<void> {
    const startedAt = clock.monotonic();
    let failed = true;
    try {
      failed = await respond(command, input, responder, startedAt);
    } finally {
      onAnswered(command.name, failed ? 'failed' : 'answered', clock.monotonic() - startedAt);
    }
  }

  /** Resolves after the response was sent. Returns whether it was an error message. */
  async function respond(
    command: Command,
    input: CommandInput,
    responder: InteractionResponder,
    startedAt: number,
  ): Promise<boolean> {
    const execution = execute(command, input);
    const immediate = await settleWithin(deferAfterMs, clock, execution);
    if (immediate !== undefined) {
      const body = renderOnce(immediate.reply, command);
      await (immediate.failed ? responder.reject(body) : responder.reply(body));
      return immediate.failed;
    }
    await responder.deferReply();
    const remainingMs = Math.max(0, startedAt + replyTimeoutMs - clock.monotonic());
    const lateResult = (await settleWithin(remainingMs, clock, execution)) ?? timeoutResult(command.name);
    const body = renderOnce(lateResult.reply, command);
    await (lateResult.failed ? responder.rejectDeferred(body) : responder.editReply(body));
    return lateResult.failed;
  }

  async function handleCommand(interaction: ChatInputCommandInteraction): Promise<void> {
    if (!(await isOwnCommand(interaction.commandId))) return ignore(interaction);
    const command = commandsByName.get(interaction.commandName);
    const responder = commandResponder(interaction, command?.visibility ?? 'private');
    if (command !== undefined) return run(command, toCommandInput(interaction), responder);
    await responder.reject(errorBody(texts.failure.unknownCommand));
  }

  async function handleButton(interaction: ButtonInteraction): Promise<void> {
    const id = decodeCustomId(interaction.customId);
    const command = id === null ? undefined : commandsByName.get(id.command);
    const responder = buttonResponder(interaction);
    if (id !== null && command?.hasPages) {
      return run(command, { options: id.options, userId: interaction.user.id }, responder);
    }
    await responder.reject(errorBody(texts.failure.unknownButton));
  }

  /** If two programs responded to one interaction, only one response would succeed. */
  function ignore({ id, type }: Interaction): void {
    log.debug({ interaction: id, type }, 'interaction of another program ignored');
  }

  return async (interaction) => {
    try {
      if (interaction.isChatInputCommand()) return await handleCommand(interaction);
      const isOwn = 'customId' in interaction && isOwnCustomId(interaction.customId);
      if (!isOwn) return ignore(interaction);
      if (interaction.isButton()) return await handleButton(interaction);
      // We create neither selects nor modals.
      await interaction.reply({ ...errorBody(texts.failure.unknownButton), flags: MessageFlags.Ephemeral });
    } catch (error) {
      const isExpired = error instanceof DiscordAPIError && expiredCodes.includes(error.code);
      const fields = { interaction: interaction.id, reason: messageOf(error) };
      if (isExpired)
        log.warn(fields, 'response rejected by Discord: the interaction has expired or was answered already');
      else log.error(fields, 'response could not be sent to Discord');
    }
  };
}
