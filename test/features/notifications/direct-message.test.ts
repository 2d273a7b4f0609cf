import { systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import type { ListingCard } from '../../../src/core/announcements/announcement.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import type { DirectMessage, Effect, TypedMessage } from '../../../src/core/outbox/effect-kind.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { create as communityParts } from '../../../src/features/communities/parts.ts';
import { createDirectMessageHandler } from '../../../src/features/notifications/messages.ts';
import { create as reminderParts } from '../../../src/features/reminders/parts.ts';
import { create as shopParts } from '../../../src/features/shop/parts.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/bot.ts';
import { directMessageQueue } from '../../support/queues.ts';

const en = textsIn('en-US');

async function messaging(card: ListingCard | null = null, isStillWanted = true) {
  const discord = await localDiscord({ rateLimits: false });
  const closed: string[] = [];
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  // What the messages themselves use of it.
  const base = { rest, clock: systemClock, metrics: createMetrics(), cardOf: async () => card };
  const context = { ...base, store: { reminders: {} }, settings: {}, config: {}, lookups: {}, reminders: {} };
  const departures = communityParts(context as never).directMessages;
  const reminders = reminderParts(context as never).directMessages;
  const handler = createDirectMessageHandler({
    ...{ rest, textsOf: async () => en, clock: systemClock },
    types: [
      ...shopParts().directMessages,
      ...reminders.map((reminder) => ({ ...reminder, isWanted: async () => isStillWanted })),
      ...departures.map((departure) => ({ ...departure, isWanted: async () => true })),
    ],
    onClosed: async (userId) => void closed.push(userId),
  });
  const [, { id: userId } = { id: '' }] = discord.members;
  const send = ({ to = userId, nonce = 'nonce', possiblySentSince = null as number | null, dueAt = 0 } = {}) => {
    return sendMessage({ type: 'reminder', listing: 'my *server*', dueAt }, { to, nonce, possiblySentSince });
  };
  function sendMessage(
    message: TypedMessage & Readonly<Record<string, unknown>>,
    { to = userId, nonce = 'nonce', possiblySentSince = null as number | null } = {},
  ) {
    const content = { userId: to, message };
    const effect: Effect<DirectMessage> = {
      ...{
        id: 1,
        deliveryId: null,
        kind: 'directMessage',
        queue: directMessageQueue(to),
        content,
        attempts: 1,
        createdAt: 0,
      },
      ...{ nonce, possiblySentSince },
    };
    return handler.perform([effect]);
  }
  const received = () => discord.directMessages(userId);
  const opened = () => discord.requests.filter(({ path }) => path.endsWith('/users/@me/channels'));
  return { discord, closed, send, sendMessage, received, opened, userId };
}

describe('a direct message', () => {
  it('reminds of a vote, with a link to the listing', async () => {
    const { send, received } = await messaging({ name: 'Lantern _Harbour_', url: 'https://listing.example/server/1' });
    expect(await send()).toEqual({ outcome: 'done' });
    expect(received()[0]?.embeds).toMatchObject([
      {
        title: 'You can vote again',
        description: String.raw`**Lantern \_Harbour\_** looks forward to your vote.`,
        url: 'https://listing.example/server/1',
      },
    ]);
  });

  it('has the configured name of a listing that the service does not show', async () => {
    const { send, received } = await messaging();
    await send();
    expect(received()[0]?.embeds[0]).toMatchObject({
      description: String.raw`**my \*server\*** looks forward to your vote.`,
    });
    expect(received()[0]?.embeds[0]).not.toHaveProperty('url');
  });

  it('is not sent if the member wants it no more', async () => {
    const { send, received, opened } = await messaging(null, false);
    expect(await send()).toEqual({ outcome: 'done' });
    expect([...received(), ...opened()]).toEqual([]);
  });

  it('is searched before it is sent again, if Discord may have forgotten its nonce', async () => {
    const { send, received } = await messaging();
    const possiblySentSince = systemClock.now() - 3 * minute;
    await send();
    expect(await send({ nonce: 'forgotten', possiblySentSince })).toEqual({ outcome: 'done' });
    expect(received()).toHaveLength(1);
    expect(await send({ nonce: 'of another reminder', possiblySentSince, dueAt: 1 })).toEqual({ outcome: 'done' });
    expect(received()).toHaveLength(2);
  });

  it('opens the channel once per member', async () => {
    const { send, received, opened } = await messaging();
    await send();
    await send({ nonce: 'another' });
    expect(received()).toHaveLength(2);
    expect(opened()).toHaveLength(1);
  });

  it('is not sent twice if its response was lost', async () => {
    const { discord, send, received } = await messaging();
    discord.faults.loseAnswers(1, /messages/);
    expect(await send()).toMatchObject({ outcome: 'later' });
    expect(await send()).toEqual({ outcome: 'done' });
    expect(received()).toHaveLength(1);
  });

  it('is buried at once if the member accepts none or shares no server, which is stored', async () => {
    const { discord, send, closed, userId } = await messaging();
    discord.faults.closeDirectMessages(userId);
    expect(await send()).toEqual({ outcome: 'bury', reason: 'direct_messages_closed' });
    discord.faults.closeDirectMessages(userId, false);
    discord.guild.leave(userId);
    expect(await send()).toEqual({ outcome: 'bury', reason: 'direct_messages_closed' });
    expect(closed).toEqual([userId, userId]);
  });

  it('says when the data of a community will be deleted, and how to keep it, once', async () => {
    const { sendMessage, received } = await messaging({ name: 'Lantern _Harbour_', url: null });
    const departure = { type: 'departure', guildId: '77', listing: 'a', parkedAt: 0, deletedAt: 5_000 } as const;
    await sendMessage({ ...departure, notices: 0 });
    expect(received()[0]?.embeds).toMatchObject([
      {
        title: 'The bot was removed from your server',
        description: expect.stringMatching(/\*\*Lantern \\_Harbour\\_\*\* will be deleted <t:5:R>.*\n.*export 77`/),
      },
    ]);
    const possiblySentSince = systemClock.now() - 3 * minute;
    await sendMessage({ ...departure, notices: 0 }, { nonce: 'forgotten', possiblySentSince });
    expect(received()).toHaveLength(1);
    await sendMessage({ ...departure, guildId: '7', listing: null, notices: 1 }, { nonce: 'other', possiblySentSince });
    expect(received()[1]?.embeds).toMatchObject([
      { title: 'The data of your server will be deleted soon', description: expect.stringContaining('**7**') },
    ]);
  });

  it('about a community is buried quietly if the manager accepts none', async () => {
    const { discord, sendMessage, closed, userId } = await messaging();
    discord.faults.closeDirectMessages(userId);
    const departure = { type: 'departure', guildId: '77', listing: 'a', parkedAt: 0, deletedAt: 5_000 } as const;
    expect(await sendMessage({ ...departure, notices: 0 })).toEqual({
      outcome: 'bury',
      reason: 'direct_messages_closed',
    });
    expect(closed).toEqual([]);
  });

  it('is buried with the reason if the user does not exist', async () => {
    const { send, closed } = await messaging();
    expect(await send({ to: '404' })).toEqual({
      outcome: 'bury',
      reason: expect.stringContaining('Discord rejects the direct message'),
    });
    expect(closed).toEqual([]);
  });

  it('opens the channel again if Discord does not know it any more', async () => {
    const { discord, send, received, opened } = await messaging();
    await send();
    discord.faults.deleteChannel(received()[0]?.channel_id ?? '');
    expect(await send({ nonce: 'another' })).toMatchObject({ outcome: 'later', scope: 'effects', notSent: true });
    await send({ nonce: 'another' });
    expect(opened()).toHaveLength(2);
  });

  it('is retried alone after an error of Discord, and with all effects if it cannot be reached', async () => {
    const { discord, send } = await messaging();
    discord.faults.respond500(1);
    expect(await send()).toMatchObject({ outcome: 'later', scope: 'effects' });
    discord.faults.outage(true);
    expect(await send()).toMatchObject({ outcome: 'later', scope: 'global' });
    discord.faults.clear();
  });
});
