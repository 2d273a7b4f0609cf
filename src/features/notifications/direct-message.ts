import { type DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import { directMessagesClosed, type Effect } from '../../core/outbox/effect.ts';
import type { DirectMessage } from '../../core/outbox/effect-contents.ts';
import type { EffectHandlers } from '../../core/outbox/perform.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { rejectionOf, retryAlone } from '../../discord/discord-errors.ts';
import type { MemberTexts } from '../../discord/guild-languages.ts';
import { postReply } from '../../discord/posting/post-reply.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { AttemptResult } from '../../platform/attempt-result.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import { plainName } from '../../platform/truncate.ts';
import { type CardSource, listingName, readCard } from '../announcements/listing-card.ts';
import { hasDeparture, renderDeparture } from '../communities/departure-message.ts';
import { hasReminder, renderReminder } from '../reminders/message.ts';
import { renderPurchaseMessage } from '../shop/messages.ts';

/** The ids of channels never change, and opening a channel again costs a request. */
const maxChannels = 10_000;
const maxReasonLength = 300;
/** Discord is certain to remember a nonce for this long (ms). */
const nonceLifetimeMs = 2 * minute;
/** Between this clock and that of Discord. */
const clockToleranceMs = 5 * minute;

/** What is stored of direct messages. Rejects as the store does. */
export interface DirectMessageSettings {
  /**
   * Whether a message is still to be sent: a member may have voted since, or want no more messages. If it cannot have
   * been sent before and is too old to tell, it returns false and plans the message again.
   */
  isStillWanted(effect: Effect<'directMessage'>): Promise<boolean>;
  /** Stores that the member accepts no direct messages, to report it at the next command. */
  directMessagesClosed(userId: string): Promise<void>;
}

const channelSchema = z.object({ id: z.string() });

/**
 * Sends direct messages. One that the member does not accept is buried at once with the reason
 * {@link directMessagesClosed}. Rejects as {@link DirectMessageSettings} does.
 */
export function createDirectMessageHandler(options: {
  rest: DiscordRest;
  settings: DirectMessageSettings;
  /** In the language of the member. */
  textsOf: MemberTexts;
  listingOf: CardSource;
  clock: Clock;
}): NonNullable<EffectHandlers['directMessage']> {
  const { rest, settings, textsOf, listingOf, clock } = options;
  /** By user id. */
  const channelIds = new BoundedMap<string>(maxChannels);

  async function openChannel(userId: string): Promise<string> {
    const knownId = channelIds.get(userId);
    if (knownId !== undefined) return knownId;
    const { id } = channelSchema.parse(await rest.post(Routes.userChannels(), { recipient_id: userId }));
    channelIds.set(userId, id);
    return id;
  }

  async function render({ userId, message }: DirectMessage): Promise<Reply> {
    const texts = await textsOf(userId);
    if (message.type === 'purchaseFulfilled' || message.type === 'purchaseRefunded') {
      return renderPurchaseMessage(message, texts);
    }
    const card = message.listing === null ? null : await readCard(listingOf, message.listing, clock);
    if (message.type === 'departure') return renderDeparture(message, listingName(card, message.guildId), texts);
    return renderReminder(message, { name: listingName(card, message.listing), url: card?.url ?? null }, texts);
  }

  async function settleRejection({ userId, message }: DirectMessage, error: DiscordAPIError): Promise<AttemptResult> {
    switch (error.code) {
      case RESTJSONErrorCodes.CannotSendMessagesToThisUser:
      case RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds:
        // Discord also rejects a member who has left every server of the bot, which says nothing about reminders.
        if (message.type !== 'departure') await settings.directMessagesClosed(userId);
        return { outcome: 'bury', reason: directMessagesClosed };
      case RESTJSONErrorCodes.OpeningDirectMessagesTooFast:
        return retry('Discord limits how fast direct messages are opened (40003)');
      case RESTJSONErrorCodes.UnknownChannel:
        channelIds.delete(userId);
        return retry('Discord does not know the channel any more (10003)');
      default: {
        const reason = `Discord rejects the direct message (${error.status}, ${error.code}): ${error.message}`;
        return { outcome: 'bury', reason: plainName(reason, maxReasonLength) };
      }
    }
  }

  /** Whether an earlier attempt has sent it, if that is so long ago that Discord may have forgotten the nonce. */
  async function wasSent(channelId: string, effect: Effect<'directMessage'>): Promise<boolean> {
    const { possiblySentSince: since, content } = effect;
    // Nothing in a message about a purchase identifies it: it may be sent twice.
    if (since === null) return false;
    const age = clock.now() - since;
    if (age >= 0 && age < nonceLifetimeMs) return false;
    const { message } = content;
    if (message.type === 'reminder') return hasReminder(rest, channelId, message);
    return message.type === 'departure' && hasDeparture(rest, channelId, message, since - clockToleranceMs);
  }

  return async (effect) => {
    const { userId } = effect.content;
    if (!(await settings.isStillWanted(effect))) return { outcome: 'done' };
    const reply = await render(effect.content);
    try {
      const channelId = await openChannel(userId);
      if (!(await wasSent(channelId, effect))) await postReply(rest, channelId, reply, effect.nonce);
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof z.ZodError) return retry('the response is not from Discord');
      const rejection = rejectionOf(error);
      return rejection === null ? retryAlone(error) : settleRejection(effect.content, rejection);
    }
  };
}

/** Nothing was sent. */
function retry(reason: string): AttemptResult {
  return { outcome: 'later', reason, scope: 'effects', notSent: true };
}
