import { hour, minute } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { Routes } from 'discord.js';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ListingCard } from '../../../src/core/announcements/announcement.ts';
import { bonusCauses } from '../../../src/core/ledger/entry.ts';
import type { Announcement, Effect } from '../../../src/core/outbox/effect-kind.ts';
import type { ReplyButton } from '../../../src/discord/commands/reply.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { plainAnnouncer } from '../../support/announcer.ts';
import { localDiscord } from '../../support/bot.ts';
import { effectOf } from '../../support/due-effects.ts';
import { blocksOf, isPanelMessage, textOf } from '../../support/message-text.ts';
import { channelQueue } from '../../support/queues.ts';

const at = Date.UTC(2026, 0, 1);
const voter = '200000000000000001';
const friend = '200000000000000002';

const vote: Announcement = {
  ...{ event: 'server_vote', test: false, listing: 'server', userId: voter, credits: 10, balance: 1_230 },
  ...{ reason: null, at, nextVoteAt: at + 12 * hour, tier: null, giftedBy: null, streak: null, calculation: null },
  ...{ bonuses: [], roles: [] },
};
const purchase: Announcement = { ...vote, event: 'premium_purchase', credits: 100, nextVoteAt: null, tier: 'Gold' };

async function announcing(
  changes: {
    listingOf?: (name: string) => Promise<ListingCard | null>;
    token?: string;
    voteButtons?: readonly ReplyButton[];
  } = {},
) {
  const discord = await localDiscord();
  const { log, logged } = collectingLog([discord.token]);
  const token = changes.token ?? discord.token;
  const perform = plainAnnouncer({
    rest: createDiscordRest({ token, apiUrl: discord.apiUrl }),
    cardOf: changes.listingOf ?? (async () => ({ name: 'Lantern Harbour', url: 'https://listing.example/server/1' })),
    voteButtons: () => changes.voteButtons ?? [],
    log,
  });
  const channelId = discord.channels.announcements;
  const effect = (content: Announcement, place = 0) =>
    effectOf(
      { kind: 'announcement', queue: channelQueue(channelId), content },
      { id: place + 1, deliveryId: place + 1, createdAt: at, nonce: 'nonce-of-25-characters-xx' },
    );
  const shown = () => discord.messages(channelId);
  const announce = async (announcement: Announcement) => {
    expect(await perform([effect(announcement)])).toEqual({ outcome: 'done' });
    return textOf(shown().at(-1));
  };
  return { discord, perform, effect, announce, shown, logged, channelId };
}

describe('an announcement', () => {
  it('of a vote has the user, listing, credits, balance, time, and a link to the page', async () => {
    const { announce, shown } = await announcing();
    expect(await announce(vote)).toBe(
      [
        'Thank you for the vote!',
        `<@${voter}> voted for **Lantern Harbour**.`,
        '## +**10** credits',
        'Balance: **1,230** credits',
      ].join('\n'),
    );
    expect(shown()[0]).toMatchObject({
      mentions: [],
      nonce: 'nonce-of-25-characters-xx',
      embeds: [
        {
          url: 'https://listing.example/server/1',
          timestamp: '2026-01-01T00:00:00.000Z',
        },
      ],
    });
    expect(shown()[0]?.embeds[0]).not.toHaveProperty('footer');
  });

  it.each(bonusCauses)('of a vote names a bonus for %s', async (cause) => {
    const { announce } = await announcing();
    const bonus = { cause, credits: 25, count: 7, ...(cause === 'luck' && { name: 'Jackpot' }) };
    const text = await announce({ ...vote, credits: 35, bonuses: [bonus] });
    expect(text).toMatch(/: \+\*\*25\*\*$/m);
    expect(text).not.toContain('Bonus:');
  });

  it('of a vote has everything that it earned, the roles and the streak', async () => {
    const { announce } = await announcing();
    const text = await announce({
      ...vote,
      credits: 20 + 50 + 100 + 20 + 7,
      calculation: '10 × 2',
      streak: 7,
      bonuses: [
        { cause: 'streak', credits: 50, count: 7 },
        { cause: 'milestone', credits: 100, count: 10 },
        { cause: 'allListings', credits: 20, count: 0 },
        { cause: 'of a newer version', credits: 7, count: 0 },
      ],
      roles: [
        { role: friend, until: at + 12 * hour },
        { role: voter, until: null },
      ],
    });
    expect(text.split('\n')).toEqual([
      '### [Milestone: 10 votes](https://listing.example/server/1)',
      `<@${voter}> voted for **Lantern Harbour**.`,
      '## +**20** credits (10 × 2)',
      '🔥 **7** days · Balance: **1,230** credits',
      '7-day streak: +**50** · 10 votes: +**100** · Every listing today: +**20** · Bonus: +**7**',
      `<@&${friend}> for 12 hours, <@&${voter}>`,
      `-# <t:${at / 1_000}:f>`,
    ]);
  });

  it('of a vote with more bonuses and roles than fit has their sum and number', async () => {
    const { announce } = await announcing();
    const bonuses = Array.from({ length: 9 }, (_, index) => ({ cause: 'milestone', credits: 1_000, count: index + 1 }));
    const roles = Array.from({ length: 9 }, () => ({ role: friend, until: null }));
    const text = await announce({ ...vote, credits: 9_010, bonuses, roles, streak: 1 });
    expect(text).toContain('+**10** credits');
    expect(text).toContain('4 votes: +**1,000** · 5 more: +**5,000**\n');
    expect(text).toContain(`<@&${friend}>, 6 more roles\n`);
    expect(text).toContain('🔥 **1** day · ');
  });

  it('has buttons only below a vote that counted, and once per message', async () => {
    const { perform, effect, shown } = await announcing({
      voteButtons: [{ kind: 'action', command: 'remind', action: 'on', label: 'Remind me' }],
    });
    await perform([effect({ ...vote, reason: 'within_cooldown' }), effect(purchase, 1)]);
    expect(shown()[0]?.components.map(({ type }) => type)).toEqual([17, 17]);
    const counted = { ...vote, streak: 1 };
    const effects = [effect(counted, 2), effect(counted, 3), effect(purchase, 4)];
    await perform(effects.map((each) => ({ ...each, nonce: 'another-nonce' })));
    expect(shown().at(-1)?.components.slice(3)).toMatchObject([
      { components: [{ label: 'Vote too' }, { custom_id: 'tallyhook:remind/on:', label: 'Remind me' }] },
    ]);
  });

  it('of a test says so', async () => {
    const { announce } = await announcing();
    expect(await announce({ ...vote, test: true, credits: 0, balance: null, nextVoteAt: null })).toBe(
      'This is a test\nThe webhook of **Lantern Harbour** works: a test has arrived. Tests give no credits.',
    );
  });

  it("of a denied vote has the service's reason, escaped", async () => {
    const { announce } = await announcing();
    const text = await announce({ ...vote, credits: 0, reason: '@everyone **Ad blocker** https://evil.example' });
    expect(text).toContain('No credits this time.\nBalance: **1,230** credits');
    expect(text).toContain(
      'Reason given by the service: @\u200Beveryone \\*\\*Ad blocker\\*\\* https\\://evil.example',
    );
  });

  it('of a vote within the cooldown says so in plain words', async () => {
    const { announce } = await announcing();
    const text = await announce({ ...vote, credits: 0, reason: 'within_cooldown' });
    expect(text).toContain('The previous vote was too recent.');
    expect(text).not.toContain('within');
  });

  it.each<[string, Partial<Announcement>, string]>([
    ['a purchase', {}, `<@${voter}> got **Gold** for **Lantern Harbour**.\n## +**100** credits`],
    ['a purchase without a tier', { tier: null }, `<@${voter}> got premium for **Lantern Harbour**.`],
    ['a gift', { giftedBy: friend }, `<@${voter}> got **Gold** for **Lantern Harbour** as a gift from <@${friend}>.`],
    ['a renewal', { event: 'subscription.renewed' }, `<@${voter}> renewed **Gold** for **Lantern Harbour**.`],
    [
      'an expiry',
      { event: 'subscription.expired', credits: 0, balance: null },
      `The subscription of <@${voter}> to **Gold** for **Lantern Harbour** has expired.`,
    ],
    [
      'a revocation',
      { event: 'subscription.revoked', credits: 0, balance: null, userId: null, tier: null },
      'A subscription to premium for **Lantern Harbour** was revoked.',
    ],
    [
      'something new',
      { event: 'server_boost', credits: 0, balance: null },
      `**Lantern Harbour**: server\\_boost, by <@${voter}>.`,
    ],
  ])('has a text for %s', async (_, changes, words) => {
    const { announce } = await announcing();
    const text = await announce({ ...purchase, roles: [{ role: friend, until: at }], ...changes });
    expect(text).toContain(words);
    if (changes.event?.startsWith('subscription.e') || changes.event?.endsWith('revoked'))
      expect(text).not.toMatch(/redits|Received/);
  });

  it.each<[string, () => Promise<ListingCard | null>]>([
    ['is unknown', async () => null],
    ['request hangs', () => new Promise(() => {})],
  ])('has the configured name of the listing if its page %s', async (_, listingOf) => {
    const { announce } = await announcing({ listingOf });
    expect(await announce(vote)).toContain('voted for **server**.');
  });
});

describe('a message of several announcements', () => {
  it("fits Discord's limits however long its texts are", async () => {
    const { perform, effect, shown } = await announcing({
      listingOf: async () => ({ name: '*'.repeat(999), url: null }),
    });
    const long = {
      ...purchase,
      ...{ tier: '_'.repeat(999), giftedBy: '`'.repeat(999), reason: '|'.repeat(999), credits: 1e6, balance: 1e15 },
      ...{ streak: 99_999, calculation: '9'.repeat(99) },
      bonuses: Array.from({ length: 99 }, () => ({ cause: 'milestone', credits: 1e9, count: 1e9 })),
      roles: Array.from({ length: 99 }, () => ({ role: voter, until: at })),
    };
    expect(await perform(Array.from({ length: 10 }, (_, place) => effect(long, place)))).toEqual({ outcome: 'done' });
    const blocks = shown().flatMap(blocksOf);
    expect(blocks).toHaveLength(10);
    for (const block of blocks) {
      expect(block).toContain(`<@${voter}> got`);
      expect(block.split('\n').at(-1)).toBe(`-# <t:${at / 1_000}:f>`);
    }
  });

  it('has an embed for each of plain votes and tests, and a panel for each if one is a panel', async () => {
    const { perform, effect, shown } = await announcing();
    const milestone = { ...vote, bonuses: [{ cause: 'milestone', credits: 100, count: 1 }] };
    const test = { ...purchase, test: true };
    const messages = [[vote, test, vote], [vote, milestone, test], [purchase], [test]];
    for (const [number, announcements] of messages.entries()) {
      const effects = announcements.map((announcement, place) => effect(announcement, place));
      expect(await perform(effects.map((each) => ({ ...each, nonce: `nonce-${number}` })))).toEqual({
        outcome: 'done',
      });
    }
    expect(shown().map(isPanelMessage)).toEqual([false, true, true, false]);
    expect(shown().map((message) => blocksOf(message).length)).toEqual([3, 3, 1, 1]);
    expect(blocksOf(shown()[1] ?? { embeds: [], components: [] }).map((text) => text.split('\n')[0])).toEqual([
      '### [Thank you for the vote!](https://listing.example/server/1)',
      '### [Milestone: 1 vote](https://listing.example/server/1)',
      '### [This is a test](https://listing.example/server/1)',
    ]);
    for (const { mentions } of shown()) expect(mentions).toEqual([]);
  });
});

describe('an announcement that was possibly sent already', () => {
  /**
   * An attempt whose response was lost, long enough ago that Discord has forgotten the nonce. `ahead`: how far our
   * clock was ahead at the attempt (ms). `first`: what the first effect announces, if it is not the same as the others.
   */
  async function afterLostResponse(
    options: { written?: boolean; ahead?: number; announcement?: Announcement; first?: Announcement } = {},
  ) {
    const clock = createOffsetClock();
    const discord = await startLocalDiscord({ clock, stopwatch: clock, rateLimits: false });
    onTestFinished(() => discord.stop());
    const channelId = discord.channels.announcements;
    const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
    const { log } = collectingLog();
    const { announcement = vote, first } = options;
    let ahead = options.ahead ?? 0;
    const ours = { ...clock, now: () => clock.now() + ahead };
    const perform = plainAnnouncer({ rest, clock: ours, log });
    const begun = ours.now();
    const effect = (place: number, changes: Partial<Effect<Announcement>> = {}) => {
      const announced = (place === 1 && first) || announcement;
      const content = { ...announced, userId: `20000000000000000${place}`, at: begun };
      const row = { id: place, deliveryId: place, createdAt: begun, nonce: 'a-nonce' };
      return effectOf({ kind: 'announcement', queue: channelQueue(channelId), content }, { ...row, ...changes });
    };
    if (options.written !== false) {
      discord.faults.loseAnswers(1);
      expect(await perform([effect(1), effect(2)])).toMatchObject({ outcome: 'later' });
      expect(discord.messages(channelId)).toHaveLength(1);
    }
    clock.advance(10 * minute);
    ahead = 0;
    const unsure = { possiblySentSince: begun, attempts: 2 };
    const shown = () => discord.messages(channelId).filter((message) => blocksOf(message).length > 0);
    const chat = async (count: number) => {
      for (let line = 0; line < count; line += 1) await rest.post(Routes.channelMessages(channelId), { content: 'hi' });
    };
    return { discord, perform, effect, unsure, shown, chat, channelId, clock };
  }

  it.each<[string, Parameters<typeof afterLostResponse>[0], number]>([
    ['', {}, 0],
    [' beside a test, which names nobody', { first: { ...vote, test: true } }, 0],
    [' although the clock has been set back since', { ahead: 2 * hour }, 0],
    [' although the clock was set back so that the attempt seems recent', {}, -10 * minute],
  ])('is found in the channel and not sent again%s', async (_, options, shiftMs) => {
    const { perform, effect, unsure, shown, clock } = await afterLostResponse(options);
    clock.shiftWallClock(shiftMs);
    expect(await perform([effect(1, unsure), effect(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it.each([
    ['panels', { announcement: purchase }],
    ['a panel among votes', { first: purchase }],
  ])('is found in the channel among other messages (%s) and not sent again', async (_, announcements) => {
    const { perform, effect, unsure, shown, chat } = await afterLostResponse(announcements);
    await chat(3);
    expect(shown().map(isPanelMessage)).toEqual([true]);
    expect(await perform([effect(1, unsure), effect(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
    const other = { ...effect(1, unsure), content: { ...effect(1).content, userId: '3' }, nonce: 'b-nonce' };
    expect(await perform([other])).toEqual({ outcome: 'done' });
    const later = { ...effect(1, unsure), content: { ...effect(1).content, at: 1_000 }, nonce: 'c-nonce' };
    expect(await perform([later])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(3);
  });

  it('is found although more than a hundred messages follow it', async () => {
    const { perform, effect, unsure, shown, chat } = await afterLostResponse();
    await chat(120);
    expect(await perform([effect(1, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is sent if it is not in the channel', async () => {
    const { perform, effect, unsure, shown, chat } = await afterLostResponse({ written: false });
    await chat(1);
    expect(await perform([effect(1, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is not confused with one of the same number from a new database', async () => {
    const { perform, effect, unsure, shown } = await afterLostResponse();
    const other = effect(1, { ...unsure, nonce: 'b-nonce', content: { ...vote, userId: '3', at } });
    expect(await perform([other])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(2);
  });

  it('waits, with a hint, while the bot cannot read the message history', async () => {
    const { discord, perform, effect, unsure, shown, channelId } = await afterLostResponse();
    discord.faults.losePermission(channelId, 'readMessageHistory');
    expect(await perform([effect(1, unsure)])).toMatchObject({
      outcome: 'later',
      scope: 'effects',
      notSent: true,
      reason: expect.stringContaining(`Give the bot Read Message History in channel ${channelId}.`),
    });
    discord.faults.regainPermission(channelId, 'readMessageHistory');
    expect(await perform([effect(1, unsure), effect(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is sent again with its nonce while Discord remembers the nonce', async () => {
    const { discord, perform, effect } = await afterLostResponse({ written: false });
    const before = discord.requests.length;
    const now = discord.messages(discord.channels.announcements).length;
    expect(now).toBe(0);
    expect(await perform([effect(1, { possiblySentSince: effect(1).createdAt + 9 * minute })])).toEqual({
      outcome: 'done',
    });
    expect(discord.requests.slice(before).map(({ method }) => method)).toEqual(['POST']);
  });
});

describe('an attempt that fails', () => {
  it('is retried later, with all other effects, while Discord is down', async () => {
    const { discord, perform, effect } = await announcing();
    discord.faults.outage(true);
    expect(await perform([effect(vote)])).toMatchObject({ outcome: 'later', scope: 'global' });
    discord.faults.outage(false);
    discord.faults.respond500(1);
    expect(await perform([effect(vote)])).toEqual({
      outcome: 'later',
      scope: 'community',
      reason: 'Discord answered 500',
    });
  });

  it('waits with the missing permission and the channel, and is buried if that was deleted', async () => {
    const { discord, perform, effect, channelId } = await announcing();
    discord.faults.losePermission(channelId);
    const waiting = { outcome: 'later', notSent: true, stop: { target: channelId } };
    expect(await perform([effect(vote), effect(vote, 1)])).toMatchObject({
      ...waiting,
      reason: `The bot cannot write in channel ${channelId}. Give it Send Messages and Embed Links there.`,
    });
    discord.faults.losePermission(channelId, 'viewChannel');
    expect(await perform([effect(vote)])).toMatchObject({
      ...waiting,
      reason: `The bot cannot see channel ${channelId}. Give it View Channel there.`,
    });
    // Also one of which it is not known whether it was announced, so that the channel is to be searched.
    const unknown = { ...effect(vote), possiblySentSince: 1 };
    expect(await perform([unknown])).toMatchObject({ ...waiting, reason: expect.stringContaining('View Channel') });
    discord.faults.deleteChannel(channelId);
    expect(await perform([effect(vote)])).toEqual({
      outcome: 'bury',
      reason: `Discord has no channel ${channelId}. Configure another channel.`,
    });
  });

  it('that cannot be rendered is buried, and does not delay others', async () => {
    const { perform, effect } = await announcing();
    const broken = effect({
      ...vote,
      listing: undefined as unknown as string,
      userId: 7 as unknown as string,
      reason: 7 as unknown as string,
    });
    expect(await perform([broken, effect(vote, 1)])).toMatchObject({ outcome: 'split' });
    expect(await perform([broken])).toMatchObject({ outcome: 'bury' });
  });
});
