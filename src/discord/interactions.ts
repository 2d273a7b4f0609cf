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
import { settleWithin } from '../platform/with-timeout.ts';
import { escapeName, type Markup, timestamp } from '../texts/markup.ts';
import { toCommandInput } from './command-input.ts';
import { decodeCustomId, isOwnCustomId } from './custom-id.ts';
import { type MessageBody, renderReply } from './reply.ts';
import { buttonResponder, commandResponder, type InteractionResponder } from './responder.ts';

/** Discord waits 3 s for a first answer; what is not there after this is deferred, with time to spare for the way. */
const grace = 1 * second;
/** The last moment for a deferred answer, counted from the question. */
const deadline = 15 * second;

/** After a failure of which nobody knows the end. */
const retryPause = 30 * second;

/** 10062 Unknown interaction, 40060 already acknowledged: the member has gone, or another process was faster. */
const tooLateCodes: readonly (number | string)[] = [10_062, 40_060];

interface Outcome {
  readonly reply: Reply;
  readonly failed: boolean;
}

/**
 * Answers the interactions with what we created, and leaves all others to the program that did. Never throws: what goes wrong is told to
 * the member, and to the owner in the log.
 */
export type InteractionHandler = (interaction: Interaction) => Promise<void>;

/**
 * What is there within a second is answered at once, the rest is deferred and has 15 s from the question on. Discord:
 * "Receiving and Responding to Interactions". A command that no listing can serve is unknown here.
 */
export function createInteractions(options: {
  commands: readonly Command[];
  services: CommandContext;
  /** Whether we registered the command of this id: another program may have one of the same name. May reject. */
  isOwnCommand: (commandId: string) => Promise<boolean>;
  log: Log;
  /** Told when Discord has the answer or cannot be given one; `tookMs` counts from the question. */
  onAnswered?: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
}): InteractionHandler {
  const { commands, services, isOwnCommand, log, onAnswered = () => {} } = options;
  const { clock, texts } = services;
  const offered = new Map(
    commands.filter((command) => command.isServedBy(services.listings)).map((command) => [command.name, command]),
  );

  async function outcomeOf(command: Command, asked: CommandInput): Promise<Outcome> {
    try {
      return { reply: await command.execute(asked, services), failed: false };
    } catch (error) {
      return { reply: failure(explain(command.name, error)), failed: true };
    }
  }

  function explain(command: string, error: unknown): Markup {
    if (error instanceof LookupError) {
      log.warn(
        { command, code: error.code, reason: error.message, cure: error.hint },
        'the service gave a command no answer',
      );
      return texts.failure.lookup[error.code](timestamp(error.retryAt ?? soon(), 'R'));
    }
    const incident = Math.floor(clock.random() * 36 ** 6)
      .toString(36)
      .padStart(6, '0');
    log.error({ command, incident, err: error }, 'a command broke');
    return texts.failure.incident(escapeName(incident));
  }

  function tooLate(command: string): Outcome {
    log.warn({ command, seconds: deadline / second }, 'a command took too long');
    return { reply: failure(texts.failure.tooLate(timestamp(soon(), 'R'))), failed: true };
  }

  /** When to try again where nobody can say: the service has had time to recover, and the member has not forgotten. */
  function soon(): number {
    return clock.now() + retryPause;
  }

  function failure(text: Markup): Reply {
    return { tone: 'bad', title: texts.failure.title, text };
  }

  function refusal(text: Markup): MessageBody {
    return renderReply(failure(text), '');
  }

  async function run(command: Command, asked: CommandInput, exchange: InteractionResponder): Promise<void> {
    const askedAt = clock.monotonic();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      outcome = await answer(command, asked, exchange, askedAt);
    } finally {
      // Counted when the member has the answer: nobody waits for what is only measured.
      onAnswered(command.name, outcome, clock.monotonic() - askedAt);
    }
  }

  /** Resolves when Discord has the answer. */
  async function answer(
    command: Command,
    asked: CommandInput,
    exchange: InteractionResponder,
    askedAt: number,
  ): Promise<'answered' | 'failed'> {
    const coming = outcomeOf(command, asked);
    const prompt = await settleWithin(grace, clock, coming);
    if (prompt !== undefined) {
      const body = renderReply(prompt.reply, command.name);
      await (prompt.failed ? exchange.reject(body) : exchange.reply(body));
      return prompt.failed ? 'failed' : 'answered';
    }
    await exchange.defer();
    const patience = Math.max(0, askedAt + deadline - clock.monotonic());
    const late = (await settleWithin(patience, clock, coming)) ?? tooLate(command.name);
    const body = renderReply(late.reply, command.name);
    await (late.failed ? exchange.rejectDeferred(body) : exchange.editReply(body));
    return late.failed ? 'failed' : 'answered';
  }

  async function answerCommand(interaction: ChatInputCommandInteraction): Promise<void> {
    if (!(await isOwnCommand(interaction.commandId))) return ignore(interaction);
    const command = offered.get(interaction.commandName);
    const exchange = commandResponder(interaction, command?.visibility ?? 'private');
    if (command !== undefined) return run(command, toCommandInput(interaction), exchange);
    await exchange.reject(refusal(texts.failure.unknownCommand));
  }

  async function answerButton(interaction: ButtonInteraction): Promise<void> {
    const id = decodeCustomId(interaction.customId);
    const command = id === null ? undefined : offered.get(id.command);
    const exchange = buttonResponder(interaction);
    if (id !== null && command?.hasPages) {
      return run(command, { options: id.options, userId: interaction.user.id }, exchange);
    }
    await exchange.reject(refusal(texts.failure.unknownButton));
  }

  /** Two programs that both respond to one interaction would spoil each other's response. */
  function ignore({ id, type }: Interaction): void {
    log.debug({ interaction: id, type }, 'an interaction with something of another program was ignored');
  }

  return async (interaction) => {
    try {
      if (interaction.isChatInputCommand()) return await answerCommand(interaction);
      const isOwn = 'customId' in interaction && isOwnCustomId(interaction.customId);
      if (!isOwn) return ignore(interaction);
      if (interaction.isButton()) return await answerButton(interaction);
      // We create neither selects nor modals.
      await interaction.reply({ ...refusal(texts.failure.unknownButton), flags: MessageFlags.Ephemeral });
    } catch (error) {
      const isTooLate = error instanceof DiscordAPIError && tooLateCodes.includes(error.code);
      const said = { interaction: interaction.id, reason: messageOf(error) };
      if (isTooLate) log.warn(said, 'an answer came too late for Discord, or twice');
      else log.error(said, 'an answer could not be delivered to Discord');
    }
  };
}
