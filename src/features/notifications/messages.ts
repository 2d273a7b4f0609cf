import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
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
import { postReply } from '../../discord/posting.ts';
import type { DiscordAPIError, DiscordRest } from '../../discord/rest.ts';
import type { DirectMessageSender, OwnerReportRenderer } from '../parts.ts';

/** The ids of channels never change, and opening a channel again costs a request. */
const maxChannels = 10_000;
const maxReasonLength = 300;
/** Discord is certain to remember a nonce for this long (ms). */
const nonceLifetimeMs = 2 * minute;
/** Between this clock and that of Discord. */
const clockToleranceMs = 5 * minute;

const channelSchema = z.object({ id: z.string() });

/**
 * Sends direct messages of these types. One that the member does not accept is buried at once with the reason
 * {@link directMessagesClosed}. Rejects as the types and `onClosed` do.
 */
export function createDirectMessageHandler(options: {
  rest: DiscordRest;
  types: readonly DirectMessageSender[];
  /** Stores that the member accepts no direct messages, to report it at the next command. */
  onClosed: (userId: string) => Promise<void>;
  /** In the language of the member. */
  textsOf: MemberTexts;
  clock: Clock;
}): EffectHandler {
  const { rest, onClosed, textsOf, clock } = options;
  const channelIds = new BoundedMap<string>(maxChannels);

  async function openChannel(userId: string): Promise<string> {
    const knownId = channelIds.get(userId);
    if (knownId !== undefined) return knownId;
    const { id } = channelSchema.parse(await rest.post(Routes.userChannels(), { recipient_id: userId }));
    channelIds.set(userId, id);
    return id;
  }

  const types = new Map(options.types.map((each) => [each.type, each]));

  async function settleRejection(
    { queue, content: { userId, message } }: Effect<DirectMessage>,
    error: DiscordAPIError,
  ): Promise<AttemptResult> {
    switch (error.code) {
      case RESTJSONErrorCodes.CannotSendMessagesToThisUser:
      case RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds:
        // Discord also rejects a member who has left every server of the bot, which says nothing about reminders.
        if (!types.get(message.type)?.reachesStrangers) await onClosed(userId);
        return { outcome: 'bury', reason: directMessagesClosed };
      case RESTJSONErrorCodes.OpeningDirectMessagesTooFast:
        return retry('Discord limits how fast direct messages are opened');
      case RESTJSONErrorCodes.UnknownChannel:
        channelIds.delete(userId);
        return retry('Discord does not know the channel any more');
      default: {
        const reason = plainName(`Discord rejects the direct message: ${error.message}`, maxReasonLength);
        if (!isMendable(error)) return { outcome: 'bury', reason };
        return retryAfterMending(channelIds.get(userId) ?? queue, reason);
      }
    }
  }

  /** Whether an earlier attempt has sent it, if that is so long ago that Discord may have forgotten the nonce. */
  async function wasSent(channelId: string, effect: Effect<DirectMessage>): Promise<boolean> {
    const { possiblySentSince: since, content } = effect;
    if (since === null) return false;
    const age = clock.now() - since;
    if (age >= 0 && age < nonceLifetimeMs) return false;
    const { message } = content;
    return (await types.get(message.type)?.isIn?.(channelId, message, since - clockToleranceMs)) ?? false;
  }

  return handle(directMessageKind, async (effect) => {
    const { userId, message } = effect.content;
    const type = types.get(message.type);
    if (type === undefined) return withoutType(message);
    const isWanted = (await type.isWanted?.(message, effect)) ?? true;
    if (isWanted !== true) return isWanted === false ? { outcome: 'done' } : isWanted;
    const reply = await type.render(message, await textsOf(userId));
    try {
      const channelId = await openChannel(userId);
      if (!(await wasSent(channelId, effect))) await postReply(rest, channelId, reply, effect.nonce);
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof z.ZodError) return retry('the response is not from Discord');
      const rejection = rejectionOf(error);
      return rejection === null ? retryAlone(error) : settleRejection(effect, rejection);
    }
  });
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
