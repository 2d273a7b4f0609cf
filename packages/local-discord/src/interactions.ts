import { randomBytes } from 'node:crypto';
import { minute, second } from '@tallyhook/platform/durations';
import { z } from 'zod';
import { choice } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, LocalDiscordError } from './errors.ts';
import { messageFlag } from './message-flags.ts';
import { messageSchema } from './message-schema.ts';
import { modalSchema } from './modal.ts';
import type { Message } from './objects.ts';

/** "You must send an initial response within 3 seconds." (ms) Discord: "Interaction Callback". */
export const responseTimeoutMs = 3 * second;
/** "Interaction tokens are valid for 15 minutes." (ms) */
export const tokenLifetimeMs = 15 * minute;

export const interactionType = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;
export type InteractionType = (typeof interactionType)[keyof typeof interactionType];

/** Interaction callback types. Discord: "Interaction Response Object". */
export const callbackType = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  choices: 8,
  modal: 9,
} as const;

const choices = z.object({ choices: z.array(choice).max(25) });

/** "The only valid message flag you may use is EPHEMERAL"; IS_COMPONENTS_V2 belongs to the edit that follows. */
const deferral = z.object({ flags: z.literal([0, messageFlag.ephemeral]).nullish() }).nullish();
const flags = z.object({ flags: z.int().nullish() }).nullish();

export const callbackSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal(callbackType.message), data: messageSchema }),
  z.object({ type: z.literal(callbackType.deferredMessage), data: deferral }),
  z.object({ type: z.literal(callbackType.deferredUpdate), data: flags }),
  z.object({ type: z.literal(callbackType.update), data: messageSchema }),
  z.object({ type: z.literal(callbackType.choices), data: choices }),
  z.object({ type: z.literal(callbackType.modal), data: modalSchema }),
]);

/** The initial response to an interaction as a bot sends it (Discord: "Interaction Callback"), by `type`. */
export type Callback = z.output<typeof callbackSchema>;

/** The initial response to an interaction. */
export type ReceivedCallback = Callback & {
  /** Time from sending the interaction to receiving the callback (ms). */
  readonly afterMs: number;
};

/** No callback within 3 seconds; the client shows "The application did not respond". */
export class ApplicationDidNotRespondError extends LocalDiscordError {
  constructor() {
    super('application_did_not_respond', 'The application did not respond');
  }
}

/** An interaction and its responses. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  readonly userId: string;
  readonly channelId: string;
  /** A command such as `/role add`, or its name in a menu, the label of a button, the placeholder of a select, or the title of a modal. */
  readonly label: string;
  /** The member's action, such as `chose a channel in /setup`. */
  readonly action: string;
  /** The message of the used component. */
  readonly sourceId: string | null;
  /** The interaction that opened the submitted modal. */
  readonly openerId?: string;
  /** The member in whose menu the command was used. */
  readonly targetId?: string;
  /** The guild (`0`) and the user (`1`) that have installed the app. Discord: "Authorizing Integration Owners". */
  readonly owners: InstallationOwners;
  readonly sentAt: number;
  callback: ReceivedCallback | null;
  /** True if the modal that it opened was submitted. */
  isModalSubmitted: boolean;
  /** The id of the `@original` message. */
  originalId: string | null;
  readonly messageIds: string[];
  /** The number of messages after the response. */
  followUps: number;
  readonly response: Deferred<ReceivedCallback>;
  /** Resolves with the message once it is more than "is thinking…". */
  readonly settled: Deferred<Message>;
}

/** `PromiseWithResolvers`, which those who compile for ES2023 do not have. */
interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** The fields of an interaction that are known when it is sent. */
export type InteractionRequest = Pick<
  Interaction,
  'type' | 'userId' | 'channelId' | 'label' | 'action' | 'sourceId' | 'openerId' | 'targetId' | 'owners'
>;

export type InstallationOwners = Readonly<Record<string, string>>;

/** The recent interactions, by id and token. */
export class Interactions {
  readonly #state: DiscordState;
  readonly #byToken = new Map<string, Interaction>();

  constructor(state: DiscordState) {
    this.#state = state;
  }

  create(request: InteractionRequest): Interaction {
    const interaction: Interaction = {
      ...request,
      id: this.#state.nextId(),
      token: randomBytes(24).toString('base64url'),
      sentAt: this.#state.stopwatch.monotonic(),
      callback: null,
      isModalSubmitted: false,
      originalId: null,
      messageIds: [],
      followUps: 0,
      response: Promise.withResolvers(),
      settled: Promise.withResolvers(),
    };
    // A caller that does not await the response must not cause an unhandled rejection.
    interaction.response.promise.catch(() => {});
    interaction.settled.promise.catch(() => {});
    this.#byToken.set(interaction.token, interaction);
    this.#deleteExpired();
    this.#emitChange(interaction, 'sent');
    void this.#failAfterDeadline(interaction);
    return interaction;
  }

  /** The interaction for a callback. @throws DiscordApiError if it is unknown, expired or already acknowledged */
  findUnanswered(id: string, token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction?.id !== id) throw errorResponse.unknownInteraction();
    if (interaction.callback !== null) throw errorResponse.alreadyAcknowledged();
    if (this.#age(interaction) >= responseTimeoutMs) throw errorResponse.unknownInteraction();
    return interaction;
  }

  /** The acknowledged interaction with this token. @throws DiscordApiError */
  findByToken(token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction === undefined || interaction.callback === null) throw errorResponse.unknownWebhook();
    if (this.#age(interaction) >= tokenLifetimeMs) throw errorResponse.invalidWebhookToken();
    return interaction;
  }

  find(id: string): Interaction | undefined {
    return [...this.#byToken.values()].find((interaction) => interaction.id === id);
  }

  acknowledge(interaction: Interaction, callback: Callback): void {
    interaction.callback = { ...callback, afterMs: this.#age(interaction) };
    interaction.response.resolve(interaction.callback);
    this.#emitChange(interaction, 'answered');
  }

  async #failAfterDeadline(interaction: Interaction): Promise<void> {
    await this.#state.stopwatch.sleep(responseTimeoutMs, this.#state.stopped);
    if (interaction.callback !== null) return;
    interaction.response.reject(new ApplicationDidNotRespondError());
    interaction.settled.reject(new ApplicationDidNotRespondError());
    if (!this.#state.stopped.aborted) this.#emitChange(interaction, 'failed');
  }

  #deleteExpired(): void {
    for (const [token, interaction] of this.#byToken) {
      if (this.#age(interaction) < 2 * tokenLifetimeMs) return;
      this.#byToken.delete(token);
    }
  }

  #age(interaction: Interaction): number {
    return this.#state.stopwatch.monotonic() - interaction.sentAt;
  }

  #emitChange(interaction: Interaction, state: 'sent' | 'answered' | 'failed'): void {
    // Autocomplete is sent for every typed character and is not reported.
    if (interaction.type === interactionType.autocomplete) return;
    const { id: interactionId, userId, label, action, callback } = interaction;
    if (callback?.type === callbackType.modal) {
      this.#state.events.emit('change', { kind: 'modal', interactionId, userId, modal: callback.data });
    }
    const afterMs = this.#age(interaction);
    this.#state.events.emit('change', { kind: 'interaction', interactionId, userId, label, action, state, afterMs });
  }
}
