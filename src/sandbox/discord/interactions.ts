import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { type Callback, callbackType } from './callback-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse } from './errors.ts';
import type { Message } from './objects.ts';

/** "You must send an initial response within 3 seconds." Discord: "Interaction Callback". */
export const responseTimeoutMs = 3 * second;
/** "Interaction tokens are valid for 15 minutes." */
export const tokenLifetimeMs = 15 * minute;

export const interactionType = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;
export type InteractionType = (typeof interactionType)[keyof typeof interactionType];

/** The first answer to an interaction. */
export type ReceivedCallback = Callback & {
  /** From the moment the interaction was sent to the arrival of the callback (ms). */
  readonly afterMs: number;
};

/** The client says "The application did not respond": no callback came within 3 seconds. */
export class ApplicationDidNotRespondError extends TallyhookError {
  constructor() {
    super('application_did_not_respond', 'The application did not respond');
  }
}

/** An interaction on its way. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  readonly userId: string;
  readonly channelId: string;
  /** What was used: a command as `/vote trace`, or the label of a component. */
  readonly label: string;
  /** The message of the component that was used. */
  readonly sourceId: string | null;
  /** The interaction that opened the modal which was sent off. */
  readonly openerId?: string;
  readonly sentAt: number;
  callback: ReceivedCallback | null;
  /** Whether the modal that it opened was sent off. */
  isModalSent: boolean;
  /** The message that `@original` means. */
  originalId: string | null;
  readonly messageIds: string[];
  readonly response: PromiseWithResolvers<ReceivedCallback>;
  /** The message as soon as it shows more than "is thinking…". */
  readonly settled: PromiseWithResolvers<Message>;
}

/** What is known of an interaction when it is sent. */
export type InteractionRequest = Pick<Interaction, 'type' | 'userId' | 'channelId' | 'label' | 'sourceId' | 'openerId'>;

/** The interactions of the last 15 minutes, found by their ids and tokens. */
export class Interactions {
  readonly #state: DiscordState;
  readonly #stopwatch: Clock;
  readonly #stopped: AbortSignal;
  readonly #byToken = new Map<string, Interaction>();

  constructor(state: DiscordState, stopwatch: Clock, stopped: AbortSignal) {
    this.#state = state;
    this.#stopwatch = stopwatch;
    this.#stopped = stopped;
  }

  create(request: InteractionRequest): Interaction {
    const interaction: Interaction = {
      ...request,
      id: this.#state.nextId(),
      token: randomBytes(24).toString('base64url'),
      sentAt: this.#stopwatch.monotonic(),
      callback: null,
      isModalSent: false,
      originalId: null,
      messageIds: [],
      response: Promise.withResolvers(),
      settled: Promise.withResolvers(),
    };
    // Whoever does not wait for an answer is not to be told of its absence either.
    interaction.response.promise.catch(() => {});
    interaction.settled.promise.catch(() => {});
    this.#byToken.set(interaction.token, interaction);
    this.#forgetOld();
    this.#tell(interaction, 'sent');
    void this.#failAfterDeadline(interaction);
    return interaction;
  }

  /** The interaction that a callback is for. @throws DiscordRefusal when it is unknown, too late or answered already. */
  findUnanswered(id: string, token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction?.id !== id) throw errorResponse.unknownInteraction();
    if (interaction.callback !== null) throw errorResponse.alreadyAcknowledged();
    if (this.#age(interaction) >= responseTimeoutMs) throw errorResponse.unknownInteraction();
    return interaction;
  }

  /** The interaction whose token serves as a webhook. @throws DiscordRefusal */
  findByToken(token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction === undefined || interaction.callback === null) throw errorResponse.unknownWebhook();
    if (this.#age(interaction) >= tokenLifetimeMs) throw errorResponse.invalidWebhookToken();
    return interaction;
  }

  /** The interaction that a member's client still has open. */
  find(id: string): Interaction | undefined {
    return [...this.#byToken.values()].find((interaction) => interaction.id === id);
  }

  acknowledge(interaction: Interaction, callback: Callback): void {
    interaction.callback = { ...callback, afterMs: this.#age(interaction) };
    interaction.response.resolve(interaction.callback);
    this.#tell(interaction, 'answered');
  }

  async #failAfterDeadline(interaction: Interaction): Promise<void> {
    await this.#stopwatch.sleep(responseTimeoutMs, this.#stopped);
    if (interaction.callback !== null) return;
    interaction.response.reject(new ApplicationDidNotRespondError());
    interaction.settled.reject(new ApplicationDidNotRespondError());
    if (!this.#stopped.aborted) this.#tell(interaction, 'failed');
  }

  #forgetOld(): void {
    for (const [token, interaction] of this.#byToken) {
      if (this.#age(interaction) < 2 * tokenLifetimeMs) return;
      this.#byToken.delete(token);
    }
  }

  #age(interaction: Interaction): number {
    return this.#stopwatch.monotonic() - interaction.sentAt;
  }

  #tell(interaction: Interaction, state: 'sent' | 'answered' | 'failed'): void {
    // It comes with every letter that is typed; only who types it is told.
    if (interaction.type === interactionType.autocomplete) return;
    const { id: interactionId, userId, label, callback } = interaction;
    if (callback?.type === callbackType.modal) {
      this.#state.events.emit('change', { kind: 'modal', interactionId, userId, modal: callback.data });
    }
    const afterMs = this.#age(interaction);
    this.#state.events.emit('change', { kind: 'interaction', interactionId, userId, label, state, afterMs });
  }
}
