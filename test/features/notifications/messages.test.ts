import { systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import type { ListingCard } from '../../../src/core/announcements/announcement.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import type { DirectMessage, OwnerReport, TypedMessage } from '../../../src/core/outbox/effect-kind.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { create as communityParts } from '../../../src/features/communities/parts.ts';
import { createDirectMessageHandler, createOwnerReportHandler } from '../../../src/features/notifications/messages.ts';
import { renderReport } from '../../../src/features/parts.ts';
import { create as rateAlarmParts } from '../../../src/features/rate-alarms/parts.ts';
import { create as reminderParts } from '../../../src/features/reminders/parts.ts';
import { renderRoleFailure } from '../../../src/features/roles/parts.ts';
import { roleFailedReport } from '../../../src/features/roles/store.ts';
import { create as shopParts } from '../../../src/features/shop/parts.ts';
import { renderLostPanel } from '../../../src/features/vote-panel/parts.ts';
import { lostPanelReport } from '../../../src/features/vote-panel/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/bot.ts';
import { effectOf } from '../../support/due-effects.ts';
import { channelQueue, directMessageQueue } from '../../support/queues.ts';

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
      ...reminders.map((reminder) => ({
        ...reminder,
        prepare: async (message: object) => (isStillWanted ? { message } : null),
      })),
      ...departures.map((departure) => ({ ...departure, prepare: async (message: object) => ({ message }) })),
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
    const effect = effectOf<DirectMessage>({ kind: 'directMessage', queue: directMessageQueue(to), content });
    return handler.perform([{ ...effect, nonce, possiblySentSince }]);
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
});

const role = '300000000000000009';

async function reporting() {
  const discord = await localDiscord({ rateLimits: false });
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const handler = createOwnerReportHandler({
    ...{ rest, textsOf: async () => en },
    types: [
      ...shopParts().ownerReports,
      ...rateAlarmParts({ lookups: { displayName: (name) => name } }).ownerReports,
      renderReport(roleFailedReport, renderRoleFailure),
      renderReport(lostPanelReport, renderLostPanel),
    ],
  });
  const channelId = discord.channels.general;
  const handle = (report: OwnerReport['report']) =>
    handler.perform([
      effectOf({ kind: 'ownerReport', queue: channelQueue(channelId), content: { channelId, report } }),
    ]);
  const report = (reason: string, changes: { cause?: string; isRemoval?: true } = {}) => {
    const { guildId } = discord;
    const memberRole = { guildId, userId: '200000000000000007', role };
    const failure = { type: 'roleFailed', ...memberRole, reason, cause: 'rejected', ...changes } as const;
    return handle(failure);
  };
  return { discord, handle, report, shown: () => discord.messages(channelId) };
}

it('a report names the role, the member and the reason, and pings nobody', async () => {
  const { report, shown } = await reporting();
  expect(await report('Discord says: @everyone [free](https://evil.example) <@1>')).toEqual({ outcome: 'done' });
  const [message] = shown();
  const description = message?.embeds[0]?.description ?? '';
  expect(message?.embeds[0]?.title).toBe('A role could not be changed');
  expect(description).toMatch(/^I cannot give <@&300000000000000009> to <@200000000000000007>\.\nDiscord says: /);
  expect(description).not.toContain('](https://evil.example)');
  expect(description).not.toContain('<@1>');
  expect(message).toMatchObject({ mentions: [], mention_roles: [], mention_everyone: false });
});

it.each([
  ['missing_permission', 'Open *Server Settings → Roles*'],
  ['role_too_high', `drag the bot's role above <@&${role}>.`],
  ['member_left', 'after returning.'],
  ['rejected', `The bot may not see <#400000000000000001> and <@&${role}>.`],
])('a report of %s says what to do, without numbers', async (cause, hint) => {
  const { report, shown } = await reporting();
  await report(`The bot may not see channel 400000000000000001 and role ${role}.`, { cause, isRemoval: true });
  const description = shown()[0]?.embeds[0]?.description ?? '';
  expect(description).toMatch(/^I cannot take <@&300000000000000009> from <@200000000000000007>\.\n/);
  expect(description).toContain(hint);
  expect(description.replaceAll(/<\S+>/g, '')).not.toMatch(/\d/);
});

it('a report of a closed purchase names no member, and has no buttons', async () => {
  const { handle, shown } = await reporting();
  const report = { type: 'purchaseClosed', purchaseId: 12, item: '*Shout*-out', price: 50 } as const;
  expect(await handle(report)).toEqual({ outcome: 'done' });
  const [message] = shown();
  expect(message?.embeds[0]).toMatchObject({
    title: 'Purchase 12',
    description: expect.stringMatching(
      /^The buyer of \*\*\\\*Shout\\\*-out\*\* \(\*\*50\*\* credits\) had their data deleted/,
    ),
  });
  expect(message?.components).toEqual([]);
});
