import { setTimeout as wait } from 'node:timers/promises';
import { Routes } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ListingCard } from '../../src/discord/announcement.ts';
import { createAnnouncer } from '../../src/discord/announcer.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import type { Announcement, Effect } from '../../src/outbox/effect.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { hour, minute } from '../../src/platform/durations.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { en } from '../../src/texts/en.ts';
import { laterClock } from '../support/later-clock.ts';
import { listeningLog, localDiscord } from './bot.ts';

const at = Date.UTC(2026, 0, 1);
const voter = '200000000000000001';
const friend = '200000000000000002';

const vote: Announcement = {
  event: 'server_vote',
  test: false,
  listing: 'server',
  userId: voter,
  credits: 10,
  balance: 1_230,
  reason: null,
  at,
  nextVoteAt: at + 12 * hour,
  tier: null,
  giftedBy: null,
};
const purchase: Announcement = { ...vote, event: 'premium_purchase', credits: 100, nextVoteAt: null, tier: 'Gold' };

async function announcing(changes: { listingOf?: (name: string) => Promise<ListingCard | null>; token?: string } = {}) {
  const discord = await localDiscord();
  const { log, said } = listeningLog([discord.token]);
  const token = changes.token ?? discord.token;
  const perform = createAnnouncer({
    rest: createDiscordRest({ token, apiUrl: discord.apiUrl }),
    texts: en,
    listingOf:
      changes.listingOf ?? (async () => ({ name: 'Lantern Harbour', url: 'https://listing.example/server/1' })),
    clock: systemClock,
    log,
  });
  const channelId = discord.channels.announcements;
  const effect = (announcement: Announcement, place = 0): Effect => ({
    id: place + 1,
    deliveryId: place + 1,
    kind: 'announcement',
    channelId,
    announcement,
    attempts: 1,
    createdAt: at,
    nonce: 'nonce-of-25-characters-xx',
    possiblySentSince: null,
  });
  const shown = () => discord.messages(channelId);
  const announce = async (announcement: Announcement) => {
    expect(await perform([effect(announcement)])).toEqual({ outcome: 'done' });
    const embed = shown().at(-1)?.embeds[0];
    return `${embed?.title}\n${embed?.description}`;
  };
  return { discord, perform, effect, announce, shown, said, channelId };
}

describe('an announcement', () => {
  it('of a vote says who, what, credits, balance, when next, and leads to the page', async () => {
    const { announce, shown } = await announcing();
    expect(await announce(vote)).toBe(
      [
        'Thank you for the vote!',
        `<@${voter}> voted for **Lantern Harbour**.`,
        '+**10** credits · Balance: **1,230** credits',
        `Can vote again <t:${(at + 12 * hour) / 1_000}:R>.`,
      ].join('\n'),
    );
    expect(shown()[0]).toMatchObject({
      mentions: [],
      nonce: 'nonce-of-25-characters-xx',
      embeds: [
        {
          url: 'https://listing.example/server/1',
          timestamp: '2026-01-01T00:00:00.000Z',
          footer: { text: '#1' },
        },
      ],
    });
  });

  it('of a test says so', async () => {
    const { announce } = await announcing();
    expect(await announce({ ...vote, test: true, credits: 0, balance: null, nextVoteAt: null })).toBe(
      'This is a test\nThe webhook of **Lantern Harbour** works: a test of **server\\_vote** arrived. Tests give no credits.',
    );
  });

  it("of a denied vote gives the service's reason, and lets it do nothing", async () => {
    const { announce } = await announcing();
    const text = await announce({ ...vote, credits: 0, reason: '@everyone **Ad blocker** https://evil.example' });
    expect(text).toContain('No credits this time. · Balance: **1,230** credits');
    expect(text).toContain(
      'Reason given by the service: @\u200Beveryone \\*\\*Ad blocker\\*\\* https\\://evil.example',
    );
  });

  it('of a vote that came too soon says so kindly', async () => {
    const { announce } = await announcing();
    const text = await announce({ ...vote, credits: 0, reason: 'within_cooldown' });
    expect(text).toContain('The previous vote was too recent.');
    expect(text).not.toContain('within');
  });

  it.each<[string, Partial<Announcement>, string]>([
    ['a purchase', {}, `<@${voter}> got **Gold** for **Lantern Harbour**.\n+**100** credits`],
    ['a purchase without a tier', { tier: null }, `<@${voter}> got premium for **Lantern Harbour**.`],
    ['a gift', { giftedBy: friend }, `<@${voter}> got **Gold** for **Lantern Harbour** as a gift from <@${friend}>.`],
    ['a renewal', { event: 'subscription.renewed' }, `<@${voter}> renewed **Gold** for **Lantern Harbour**.`],
    [
      'an expiry',
      { event: 'subscription.expired', credits: 0, balance: null },
      `**Gold** of <@${voter}> for **Lantern Harbour** has expired.`,
    ],
    [
      'a revocation',
      { event: 'subscription.revoked', credits: 0, balance: null, userId: null, tier: null },
      'Premium for **Lantern Harbour** was revoked.',
    ],
    [
      'something new',
      { event: 'server_boost', credits: 0, balance: null },
      `**Lantern Harbour**: server\\_boost, by <@${voter}>.`,
    ],
  ])('words %s', async (_, changes, words) => {
    const { announce } = await announcing();
    const text = await announce({ ...purchase, ...changes });
    expect(text).toContain(words);
    if (changes.event?.startsWith('subscription.e') || changes.event?.endsWith('revoked'))
      expect(text).not.toContain('redits');
  });

  it.each<[string, () => Promise<ListingCard | null>]>([
    ['is not known', async () => null],
    ['cannot be had', async () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise(() => {})],
  ])('names the listing as it is configured when its page %s', async (_, listingOf) => {
    const { announce } = await announcing({ listingOf });
    expect(await announce(vote)).toContain('voted for **server**.');
  });
});

describe('a message of several announcements', () => {
  it('is one, with an embed for each, in order', async () => {
    const { perform, effect, shown } = await announcing();
    const effects = Array.from({ length: 10 }, (_, place) =>
      effect({ ...vote, userId: `20000000000000000${place}` }, place),
    );
    expect(await perform(effects)).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
    expect(shown()[0]?.embeds.map(({ description }) => description?.slice(0, 21))).toEqual(
      effects.map(({ announcement }) => `<@${announcement.userId}>`),
    );
  });

  it("fits Discord's limits however long everything in it is", async () => {
    const { perform, effect, shown } = await announcing({
      listingOf: async () => ({ name: '*'.repeat(999), url: null }),
    });
    const long = {
      ...purchase,
      tier: '_'.repeat(999),
      giftedBy: '`'.repeat(999),
      reason: '|'.repeat(999),
      credits: 1e6,
      balance: 1e15,
    };
    expect(await perform(Array.from({ length: 10 }, (_, place) => effect(long, place)))).toEqual({ outcome: 'done' });
    expect(shown()[0]?.embeds).toHaveLength(10);
  });

  it('is not said twice when its answer was lost', async () => {
    const { discord, perform, effect, shown } = await announcing();
    discord.faults.loseAnswers(1);
    expect(await perform([effect(vote)])).toMatchObject({ outcome: 'later', everything: true });
    expect(await perform([effect(vote)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });
});

describe('an announcement that may be there already', () => {
  /** An attempt whose answer was lost, and then so long a time that Discord has forgotten the nonce. `ahead`: our clock was, until then. */
  async function afterALostAnswer(options: { written?: boolean; ahead?: number } = {}) {
    const clock = laterClock();
    const discord = await startLocalDiscord({ clock, stopwatch: clock, rateLimits: false });
    onTestFinished(() => discord.stop());
    const channelId = discord.channels.announcements;
    const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
    const { log } = listeningLog();
    let ahead = options.ahead ?? 0;
    const ours = { ...clock, now: () => clock.now() + ahead };
    const perform = createAnnouncer({ rest, texts: en, listingOf: async () => null, clock: ours, log });
    const begun = ours.now();
    const effectOf = (place: number, changes: Partial<Effect> = {}): Effect => ({
      id: place,
      deliveryId: place,
      kind: 'announcement',
      channelId,
      announcement: { ...vote, userId: `20000000000000000${place}`, at: begun },
      attempts: 1,
      createdAt: begun,
      nonce: 'a-nonce',
      possiblySentSince: null,
      ...changes,
    });
    if (options.written !== false) {
      discord.faults.loseAnswers(1);
      expect(await perform([effectOf(1), effectOf(2)])).toMatchObject({ outcome: 'later' });
      expect(discord.messages(channelId)).toHaveLength(1);
    }
    clock.pass(10 * minute);
    ahead = 0;
    const unsure = { possiblySentSince: begun, attempts: 2 };
    const shown = () => discord.messages(channelId).filter(({ embeds }) => embeds.length > 0);
    const chat = async (count: number) => {
      for (let line = 0; line < count; line += 1) await rest.post(Routes.channelMessages(channelId), { content: 'hi' });
    };
    return { discord, perform, effectOf, unsure, shown, chat, channelId, clock };
  }

  it('is found in the channel and not said again', async () => {
    const { perform, effectOf, unsure, shown } = await afterALostAnswer();
    expect(await perform([effectOf(1, unsure), effectOf(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is found although the clock has been set back since', async () => {
    const { perform, effectOf, unsure, shown } = await afterALostAnswer({ ahead: 2 * hour });
    expect(await perform([effectOf(1, unsure), effectOf(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is found although the clock was set back so that the attempt seems to be one of just now', async () => {
    const { perform, effectOf, unsure, shown, clock } = await afterALostAnswer();
    clock.set(-10 * minute);
    expect(await perform([effectOf(1, unsure), effectOf(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is found although a hundred others came after it', async () => {
    const { perform, effectOf, unsure, shown, chat } = await afterALostAnswer();
    await chat(120);
    expect(await perform([effectOf(1, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is said when it is not there', async () => {
    const { perform, effectOf, unsure, shown, chat } = await afterALostAnswer({ written: false });
    await chat(1);
    expect(await perform([effectOf(1, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('is not taken for another of the same number, from a database that was begun anew', async () => {
    const { perform, effectOf, unsure, shown } = await afterALostAnswer();
    const other = effectOf(1, { ...unsure, nonce: 'b-nonce', announcement: { ...vote, userId: '3', at } });
    expect(await perform([other])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(2);
  });

  it('waits, with the cure, while the bot may not read what was said', async () => {
    const { discord, perform, effectOf, unsure, shown, channelId } = await afterALostAnswer();
    discord.faults.losePermission(channelId, 'readMessageHistory');
    expect(await perform([effectOf(1, unsure)])).toMatchObject({
      outcome: 'later',
      everything: false,
      notDone: true,
      reason: expect.stringContaining(`Give the bot Read Message History in channel ${channelId}.`),
    });
    discord.faults.regainPermission(channelId, 'readMessageHistory');
    expect(await perform([effectOf(1, unsure), effectOf(2, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('needs no permission to know that a channel has been silent', async () => {
    const { discord, perform, effectOf, unsure, shown, channelId } = await afterALostAnswer({ written: false });
    discord.faults.losePermission(channelId, 'readMessageHistory');
    expect(await perform([effectOf(1, unsure)])).toEqual({ outcome: 'done' });
    expect(shown()).toHaveLength(1);
  });

  it('waits with everything else while Discord is down, and is buried where the channel is gone', async () => {
    const { discord, perform, effectOf, unsure, channelId } = await afterALostAnswer();
    discord.faults.outage(true);
    expect(await perform([effectOf(1, unsure)])).toMatchObject({ outcome: 'later', everything: true, notDone: true });
    discord.faults.outage(false);
    discord.faults.deleteChannel(channelId);
    expect(await perform([effectOf(1, unsure)])).toMatchObject({
      outcome: 'bury',
      reason: expect.stringContaining('10003'),
    });
  });

  it('is simply sent again, under its nonce, while Discord still knows that', async () => {
    const { discord, perform, effectOf } = await afterALostAnswer({ written: false });
    const before = discord.requests.length;
    const now = discord.messages(discord.channels.announcements).length;
    expect(now).toBe(0);
    expect(await perform([effectOf(1, { possiblySentSince: effectOf(1).createdAt + 9 * minute })])).toEqual({
      outcome: 'done',
    });
    expect(discord.requests.slice(before).map(({ method }) => method)).toEqual(['POST']);
  });
});

describe('an attempt that fails', () => {
  it('comes again later, with everything else, when Discord is down', async () => {
    const { discord, perform, effect } = await announcing();
    discord.faults.outage(true);
    expect(await perform([effect(vote)])).toMatchObject({ outcome: 'later', everything: true });
    discord.faults.outage(false);
    discord.faults.respond500(1);
    expect(await perform([effect(vote)])).toEqual({
      outcome: 'later',
      everything: true,
      reason: 'Discord answered 500',
    });
  });

  it('comes again when Discord says, and a short while is waited on the spot', async () => {
    const { discord, perform, effect } = await announcing();
    discord.faults.respond429(1, 30);
    const attempt = await perform([effect(vote)]);
    expect(attempt).toMatchObject({ outcome: 'later', everything: false });
    expect((attempt as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(30_000);
    discord.faults.respond429(1, 1);
    const before = performance.now();
    expect(await perform([effect(vote)])).toEqual({ outcome: 'done' });
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  it('comes again when the token is refused, loudly, and works once it is accepted', async () => {
    const { perform, effect, said } = await announcing({ token: 'wrong' });
    for (const _ of [1, 2]) {
      expect(await perform([effect(vote)])).toMatchObject({
        outcome: 'later',
        everything: true,
        reason: expect.stringContaining('401'),
      });
    }
    expect(said).toContainEqual(expect.objectContaining({ level: 50, cure: expect.stringContaining('DISCORD_TOKEN') }));
  });

  it('is buried with the permission that is missing, and where', async () => {
    const { discord, perform, effect, channelId } = await announcing();
    discord.faults.losePermission(channelId);
    expect(await perform([effect(vote), effect(vote, 1)])).toEqual({
      outcome: 'bury',
      reason: `The bot may not write in channel ${channelId} (50013). Give it Send Messages and Embed Links there.`,
    });
    discord.faults.losePermission(channelId, 'viewChannel');
    expect(await perform([effect(vote)])).toEqual({
      outcome: 'bury',
      reason: `The bot cannot see channel ${channelId} (50001). Give it View Channel there.`,
    });
    discord.faults.deleteChannel(channelId);
    expect(await perform([effect(vote)])).toEqual({
      outcome: 'bury',
      reason: `There is no channel ${channelId} any more (10003). Set another one.`,
    });
  });

  it('is split when Discord refuses the form of one among several, and buried when it is alone', async () => {
    const { perform, effect } = await announcing();
    const tooLong = (place: number): Effect => ({ ...effect(vote, place), nonce: 'x'.repeat(26) });
    expect(await perform([tooLong(0), tooLong(1)])).toMatchObject({ outcome: 'split' });
    expect(await perform([tooLong(0)])).toMatchObject({ outcome: 'bury', reason: expect.stringContaining('400') });
  });

  it('that cannot even be drawn is buried, and holds nothing else up', async () => {
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

  it('needs no gateway', async () => {
    const { discord, announce } = await announcing();
    await wait(20);
    expect(discord.connected).toBe(false);
    expect(await announce(vote)).toContain('voted');
  });
});
