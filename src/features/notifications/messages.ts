import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { lines, mention } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import {
  type DirectMessage,
  directMessageKind,
  directMessagesClosed,
  type Effect,
  ownerReportKind,
  type TypedMessage,
} from '../../core/outbox/effect-kind.ts';
import { type EffectHandler, handle } from '../../core/outbox/perform.ts';
import {
  classifySendError,
  isMendable,
  rejectionOf,
  retryAfterMending,
  retryAlone,
} from '../../discord/discord-errors.ts';
import type { ChannelTexts, MemberTexts } from '../../discord/languages.ts';
import { postOnce, postReply } from '../../discord/posting.ts';
import type { DiscordAPIError, DiscordRest } from '../../discord/rest.ts';
import type { DirectMessageSender, OwnerReportRenderer } from '../parts.ts';

/** The ids of channels never change, and opening a channel again costs a request. */
const maxChannels = 10_000;
const maxReasonLength = 300;
/** Discord is certain to remember a nonce for this long (ms). */
const nonceLifetimeMs = 2 * minute;
/** Between this clock and that of Discord. */
const clockToleranceMs = 5 * minute;

/** A message as it is sent now. */
interface SentMessage {
  readonly type: DirectMessageSender;
  readonly message: object;
}

const channelSchema = z.object({ id: z.string() });

interface DirectMessagesOptions {
  readonly rest: DiscordRest;
  readonly types: readonly DirectMessageSender[];
  /** Stores that the member accepts no direct messages, to report it at the next command. */
  readonly onClosed: (userId: string) => Promise<void>;
  /** In the language of the member. */
  readonly textsOf: MemberTexts;
  readonly clock: Clock;
}

/**
 * Sends direct messages of these types. One that the member does not accept is buried at once with the reason
 * {@link directMessagesClosed}. Rejects as the types and `onClosed` do.
 */
export function createDirectMessageHandler(options: DirectMessagesOptions): EffectHandler {
  const messages = new DirectMessages(options);
  return handle(directMessageKind, (effect) => messages.send(effect));
}

class DirectMessages {
  readonly #options: DirectMessagesOptions;
  /** By their names. */
  readonly #types: ReadonlyMap<string, DirectMessageSender>;
  /** By user id. */
  readonly #channelIds = new BoundedMap<string>(maxChannels);

  constructor(options: DirectMessagesOptions) {
    this.#options = options;
    this.#types = new Map(options.types.map((each) => [each.type, each]));
  }

  async send(effect: Effect<DirectMessage>): Promise<AttemptResult> {
    const { rest, textsOf } = this.#options;
    const { userId, message } = effect.content;
    const type = this.#types.get(message.type);
    if (type === undefined) return withoutType(message);
    const sendable = type.prepare === undefined ? { message } : await type.prepare(message, effect);
    if (sendable === null) return { outcome: 'done' };
    if ('outcome' in sendable) return sendable;
    const sent = { type, message: sendable.message };
    if (sendable.channelId) return this.#postIn(sendable.channelId, effect, sent);
    const reply = await type.render(sent.message, await textsOf(userId), false);
    try {
      const channelId = await this.#openChannel(userId);
      if (!(await this.#wasSent(channelId, effect, type))) await postReply(rest, channelId, reply, effect.nonce);
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof z.ZodError) return retry('the response is not from Discord');
      const rejection = rejectionOf(error);
      return rejection === null ? retryAlone(error) : this.#settleRejection(effect, rejection, sent);
    }
  }

  async #openChannel(userId: string): Promise<string> {
    const knownId = this.#channelIds.get(userId);
    if (knownId !== undefined) return knownId;
    const { id } = channelSchema.parse(await this.#options.rest.post(Routes.userChannels(), { recipient_id: userId }));
    this.#channelIds.set(userId, id);
    return id;
  }

  async #settleRejection(
    effect: Effect<DirectMessage>,
    error: DiscordAPIError,
    sent: SentMessage,
  ): Promise<AttemptResult> {
    const { queue } = effect;
    const { userId } = effect.content;
    switch (error.code) {
      case RESTJSONErrorCodes.CannotSendMessagesToThisUser:
      case RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds:
        // Discord also rejects a member who has left every server of the bot, which says nothing about reminders.
        if (!sent.type.reachesStrangers) await this.#options.onClosed(userId);
        return (await this.#postInstead(effect, sent)) ?? { outcome: 'bury', reason: directMessagesClosed };
      case RESTJSONErrorCodes.OpeningDirectMessagesTooFast:
        return retry('Discord limits how fast direct messages are opened');
      case RESTJSONErrorCodes.UnknownChannel:
        this.#channelIds.delete(userId);
        return retry('Discord does not know the channel any more');
      default: {
        const reason = plainName(`Discord rejects the direct message: ${error.message}`, maxReasonLength);
        if (!isMendable(error)) return { outcome: 'bury', reason };
        return retryAfterMending(this.#channelIds.get(userId) ?? queue, reason);
      }
    }
  }

  /** True if an earlier attempt has sent it, if that is so long ago that Discord may have forgotten the nonce. */
  async #wasSent(
    channelId: string,
    { possiblySentSince: since, content }: Effect<DirectMessage>,
    type: DirectMessageSender,
  ): Promise<boolean> {
    if (since === null) return false;
    const age = this.#options.clock.now() - since;
    if (age >= 0 && age < nonceLifetimeMs) return false;
    return (await type.isIn?.(channelId, content.message, since - clockToleranceMs)) ?? false;
  }

  async #postIn(
    channelId: string,
    effect: Effect<DirectMessage>,
    { type, message }: SentMessage,
  ): Promise<AttemptResult> {
    const { rest, textsOf, clock } = this.#options;
    const { userId } = effect.content;
    const { text, ...reply } = await type.render(message, await textsOf(userId), true);
    const user = mention(userId);
    const posted = await postOnce(rest, clock, {
      channelId,
      // By its time and the mention it is found again if it is unknown whether it was sent.
      reply: { ...reply, text: lines(user, text), footer: '', at: effect.createdAt },
      ...{ contains: user, pinged: userId, effect },
    });
    return 'outcome' in posted ? posted : { outcome: 'done' };
  }

  /** In a channel, if the member is reached there; null otherwise. */
  async #postInstead(effect: Effect<DirectMessage>, { type, message }: SentMessage): Promise<AttemptResult | null> {
    const sendable = (await type.prepare?.(message, effect)) ?? null;
    if (sendable === null || 'outcome' in sendable || !sendable.channelId) return null;
    return this.#postIn(sendable.channelId, effect, { type, message: sendable.message });
  }
}

/** Contents of an unknown type are not read from the outbox, so this is a feature without its sender. */
function withoutType({ type }: TypedMessage): AttemptResult {
  return { outcome: 'bury', reason: `This version does not send direct messages of the type "${type}".` };
}

function retry(reason: string): AttemptResult {
  return { outcome: 'later', reason, scope: 'effects', notSent: true };
}

/** Posts reports in the owner's channel. They ping nobody. */
export function createOwnerReportHandler(options: {
  rest: DiscordRest;
  types: readonly OwnerReportRenderer[];
  textsOf: ChannelTexts;
}): EffectHandler {
  const { rest, textsOf } = options;
  const types = new Map(options.types.map((each) => [each.type, each]));
  return handle(ownerReportKind, async ({ content: { channelId, report }, createdAt, nonce }) => {
    const type = types.get(report.type);
    if (type === undefined) {
      return { outcome: 'bury', reason: `This version does not post reports of the type "${report.type}".` };
    }
    try {
      await postReply(rest, channelId, { ...type.render(report, await textsOf(channelId)), at: createdAt }, nonce);
      return { outcome: 'done' };
    } catch (error) {
      return classifySendError(error, { channelId, effects: 1 });
    }
  });
}
