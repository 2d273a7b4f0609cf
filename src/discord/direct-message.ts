import { type DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import type { Reply } from '../../commands/reply.ts';
import { type AttemptResult, directMessagesClosed } from '../outbox/effect.ts';
import type { DirectMessageContent } from '../outbox/effect-contents.ts';
import type { EffectHandlers } from '../outbox/perform.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import type { Texts } from '../texts/en.ts';
import { escapeName, plainName } from '../texts/markup.ts';
import { rejectionOf, retryAlone } from './discord-errors.ts';
import { type CardSource, readCard } from './listing-card.ts';
import { postReply } from './post-reply.ts';
import type { DiscordRest } from './rest.ts';

/** The ids of channels never change, and opening a channel again costs a request. */
const maxChannels = 10_000;
const maxReasonLength = 300;

/** What members do about direct messages, as it is stored. Rejects as the store does. */
export interface DirectMessageSettings {
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
  texts: Texts;
  listingOf: CardSource;
  clock: Clock;
}): NonNullable<EffectHandlers['directMessage']> {
  const { rest, settings, texts, listingOf, clock } = options;
  /** By user id. */
  const channelIds = new BoundedMap<string>(maxChannels);

  async function openChannel(userId: string): Promise<string> {
    const knownId = channelIds.get(userId);
    if (knownId !== undefined) return knownId;
    const { id } = channelSchema.parse(await rest.post(Routes.userChannels(), { recipient_id: userId }));
    channelIds.set(userId, id);
    return id;
  }

  async function render(message: DirectMessageContent): Promise<Reply> {
    const card = await readCard(listingOf, message.listing, clock);
    const name = escapeName(card?.name ?? '', 60) || escapeName(message.listing, 60);
    const { title, text } = texts.directMessage.reminder;
    return { tone: 'good', title, text: text(name), ...(card?.url ? { url: card.url } : {}) };
  }

  async function settleRejection(userId: string, error: DiscordAPIError): Promise<AttemptResult> {
    switch (error.code) {
      case RESTJSONErrorCodes.CannotSendMessagesToThisUser:
      case RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds:
        await settings.directMessagesClosed(userId);
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

  return async ({ content: { userId, message }, nonce }) => {
    const reply = await render(message);
    try {
      await postReply(rest, await openChannel(userId), reply, nonce);
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof z.ZodError) return retry('the response is not from Discord');
      const rejection = rejectionOf(error);
      return rejection === null ? retryAlone(error) : settleRejection(userId, rejection);
    }
  };
}

/** Nothing was sent. */
function retry(reason: string): AttemptResult {
  return { outcome: 'later', reason, scope: 'effects', notSent: true };
}
