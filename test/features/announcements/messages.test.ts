import { hour } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { MessageFlags } from 'discord.js';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { styleOf } from '../../../src/core/announcements/announcement-style.ts';
import type { Announcement, EffectKind } from '../../../src/core/outbox/effect-kind.ts';
import { createDecorations, createKnownGuilds, type Portraits } from '../../../src/discord/known-guilds.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createAnnouncements } from '../../../src/features/announcements/announcements.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createDigestHandler } from '../../../src/features/digests/parts.ts';
import { digestKind, type VoteSummary } from '../../../src/features/digests/store.ts';
import { createLostStreaksHandler } from '../../../src/features/lost-streaks/parts.ts';
import { lostStreaksKind } from '../../../src/features/lost-streaks/store.ts';
import { createReviewHandler } from '../../../src/features/reviews/parts.ts';
import { reviewKind } from '../../../src/features/reviews/store.ts';
import { readAnnouncements, type StatedAnnouncements } from '../../../src/features/settings.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { plainAnnouncer } from '../../support/announcer.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { effectOf } from '../../support/due-effects.ts';
import { channelQueue } from '../../support/queues.ts';

const voter = '200000000000000001';
const role = '300000000000000001';
const url = 'https://listing.example/server/1';

/** An announcer for a listing with these settings, and a local Discord. */
async function announcing(
  announcements: StatedAnnouncements,
  name: string | null = 'Lantern Harbour',
  portraits?: Portraits,
  site?: string,
) {
  const clock = createOffsetClock();
  const discord = await startLocalDiscord({ clock, stopwatch: clock, rateLimits: false });
  onTestFinished(() => discord.stop());
  const style = styleOf(readAnnouncements({ language: 'en', ...announcements }));
  const at = Math.floor(clock.now() / 1_000) * 1_000;
  let reads = 0;
  const database = { isDown: false };
  async function votesOf() {
    reads += 1;
    if (database.isDown) throw new Error('The database is down.');
    return 1_234;
  }
  const context = {
    rest: createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl }),
    cardOf: async () => ({ name, url, site }),
    announcements: { styleOf: () => style },
    voteButtons: () => [{ kind: 'action', command: 'remind', action: 'on', label: 'Remind me' } as const],
    ...(portraits && { portraits }),
    clock,
    log: collectingLog([]).log,
  };
  const perform = plainAnnouncer(context, votesOf);
  const vote: Announcement = {
    ...{ event: 'server_vote', test: false, listing: 'harbour', userId: voter, credits: 20, balance: 1_230 },
    ...{ reason: null, at, nextVoteAt: at + 12 * hour, tier: null, giftedBy: null, streak: 7, calculation: '10 × 2' },
    ...{ bonuses: [], roles: [] },
  };
  const queue = channelQueue(discord.channels.announcements);
  const effect = (changes: Partial<Announcement> = {}, id = 1) =>
    effectOf(
      { kind: 'announcement', queue, content: { ...vote, ...changes } },
      { id, deliveryId: id, createdAt: at, nonce: `nonce ${id}` },
    );
  const messages = () => discord.messages(discord.channels.announcements);
  const announce = async (changes: Partial<Announcement> = {}) => {
    expect(await perform([effect(changes, messages().length + 1)])).toEqual({ outcome: 'done' });
    return messages().at(-1)?.embeds[0];
  };
  return { at, clock, discord, database, perform, effect, announce, messages, reads: () => reads };
}

const milestone = { cause: 'milestone', credits: 100, count: 50 };
const streak = { cause: 'streak', credits: 50, count: 7 };

describe('the announcement of a vote', () => {
  it("has the owner's title, text, colour, image and button", async () => {
    const { at, announce, messages } = await announcing({
      title: '**{listing}** has {votes} votes',
      text: '{mention} voted for {listing}. +{credits}, {balance} in all, day {streak}, again {next}, at {time}: {url}',
      colour: '#12ABef',
      thumbnail: 'https://example.com/a.png',
      voteButton: true,
    });
    expect(await announce()).toMatchObject({
      title: '**Lantern Harbour** has 1,234 votes',
      description: `<@${voter}> voted for Lantern Harbour. +20, 1,230 in all, day 7, again <t:${at / 1_000 + 43_200}:R>, at <t:${at / 1_000}:f>: ${url}`,
      color: 0x12_ab_ef,
      thumbnail: { url: 'https://example.com/a.png' },
      url,
    });
    const [message] = messages();
    expect(message).toMatchObject({ mentions: [] });
    expect(message?.components).toMatchObject([{ components: [{ label: 'Vote too', url }, { label: 'Remind me' }] }]);
  });

  it('has below the own text what the vote earned, and why it earned less, unless that is part of it', async () => {
    const earned = { credits: 170, bonuses: [milestone, streak], roles: [{ role, until: null }] };
    const { announce } = await announcing({ text: 'Thanks, {mention}!' });
    const bonuses = '50 votes: +**100** · 7-day streak: +**50**';
    expect((await announce(earned))?.description).toBe([`Thanks, <@${voter}>!`, bonuses, `<@&${role}>`].join('\n'));
    const denied = { credits: 0, reason: 'Account *too* new', calculation: null };
    expect((await announce(denied))?.description).toBe(
      `Thanks, <@${voter}>!\nReason given by the service: Account \\*too\\* new`,
    );
    const inText = await announcing({ text: '{roles}\n{bonuses}\n{mention}\n{reason}' });
    expect((await inText.announce(earned))?.description).toBe([`<@&${role}>`, bonuses, `<@${voter}>`].join('\n'));
    expect((await inText.announce())?.description).toBe(`<@${voter}>`);
  });

  it('has no milestone if milestones are not announced', async () => {
    const { announce } = await announcing({ milestones: false });
    const text = (await announce({ credits: 170, bonuses: [milestone, streak] }))?.description;
    expect(text).toContain('+**20** credits (10 × 2)');
    expect(text).toContain('7-day streak: +**50**');
    expect(text).not.toContain('50 votes');
  });

  it('escapes the name of the listing, and pings nobody', async () => {
    const { announce, messages } = await announcing({ text: '@everyone {listing}' }, '**@everyone** <@7>');
    expect((await announce())?.description).toBe(
      '@everyone \\*\\*@\u200Beveryone\\*\\* \\<@\u200B7\\>'.replace('\\>', '>'),
    );
    expect(messages()[0]).toMatchObject({ mentions: [], mention_everyone: false });
  });

  it('has values for everything that a vote may lack', async () => {
    const { announce } = await announcing({ text: '{mention} {balance} {streak}|{reason}|{next}' });
    expect((await announce({ userId: null, balance: null, streak: null, nextVoteAt: null }))?.description).toBe(
      'Someone 0 0||',
    );
  });

  it('names the site of the vote: of another site its name, of the service the host of its page', async () => {
    const own = { title: 'On {site}', text: '{mention} voted on {site}' } as const;
    const elsewhere = await announcing(own, 'my-bot', undefined, 'top.gg');
    expect(await elsewhere.announce()).toMatchObject({
      title: 'On top.gg',
      description: `<@${voter}> voted on top.gg`,
    });
    const service = await announcing(own);
    expect(await service.announce()).toMatchObject({ title: 'On listing.example' });
  });

  it('is retried if these cannot be read', async () => {
    const { database, perform, effect, announce, messages } = await announcing({ text: '{mention}: {votes}' });
    database.isDown = true;
    expect(await perform([effect()])).toMatchObject({ outcome: 'later', notSent: true });
    expect(messages()).toEqual([]);
    database.isDown = false;
    expect((await announce())?.description).toBe(`<@${voter}>: 1,234`);
  });

  it('of a test and of premium keeps its own text', async () => {
    const { announce, messages } = await announcing({ title: 'Yay', text: 'Yay', colour: '#000001', voteButton: true });
    expect((await announce({ test: true, streak: null }))?.title).toBe('This is a test');
    expect(await announce({ event: 'premium_purchase', streak: null })).toMatchObject({
      title: expect.stringContaining('Premium purchased'),
    });
    expect(JSON.stringify(messages())).not.toContain('Vote too');
  });

  it('is a message of its own if the texts are too long for one', async () => {
    const { perform, effect, messages } = await announcing({ text: `${'a'.repeat(3_000)} {mention}` });
    const effects = [effect({}, 1), effect({}, 2)];
    expect(await perform(effects)).toMatchObject({ outcome: 'split' });
    expect(messages()).toEqual([]);
    for (const each of effects) expect(await perform([each])).toEqual({ outcome: 'done' });
    expect(messages().map(({ embeds }) => embeds[0]?.description)).toEqual(
      effects.map(() => `${'a'.repeat(3_000)} <@${voter}>`),
    );
  });

  it('is found again after Discord has forgotten the nonce, also if its text does not mention the voter', async () => {
    const { perform, effect, messages, discord, clock } = await announcing({ text: 'Somebody voted.' });
    discord.faults.loseAnswers(1);
    const possiblySentSince = clock.now();
    expect(await perform([effect()])).toMatchObject({ outcome: 'later' });
    clock.advance(hour);
    expect(await perform([{ ...effect(), possiblySentSince }])).toEqual({ outcome: 'done' });
    expect(messages()).toHaveLength(1);
  });
});

describe('the voter and the server in the announcement of a vote', () => {
  const avatarUrl = 'https://cdn.discordapp.com/avatars/1/a.png?size=128';
  const icon = 'https://cdn.discordapp.com/icons/2/b.png?size=128';
  const known: Portraits = { ofMember: async () => ({ name: 'Ada *Lovelace*', avatarUrl }), iconOf: async () => icon };
  const shownIn = async (
    announcements: StatedAnnouncements,
    portraits = known,
    changes: Partial<Announcement> = {},
  ) => {
    const { announce, messages } = await announcing(announcements, undefined, portraits);
    await announce(changes);
    return messages()[0];
  };

  it('are above and beside it', async () => {
    expect((await shownIn({}))?.embeds[0]).toMatchObject({
      author: { name: 'Ada *Lovelace*', icon_url: avatarUrl },
      thumbnail: { url: icon },
      description: expect.stringContaining(`<@${voter}> voted`),
    });
    const withoutAvatar = { ...known, ofMember: async () => ({ name: 'Ada', avatarUrl: null }) };
    expect((await shownIn({}, withoutAvatar))?.embeds[0]).toMatchObject({ author: { name: 'Ada' } });
    expect((await shownIn({ text: 'Hooray', thumbnail: 'https://example.com/a.png' }))?.embeds[0]).toMatchObject({
      author: { name: 'Ada *Lovelace*' },
      thumbnail: { url: 'https://example.com/a.png' },
    });
  });

  it('are left out where they are not known, and of a test', async () => {
    const nobody: Portraits = { ofMember: async () => null, iconOf: async () => null };
    const [embed] = (await shownIn({}, nobody))?.embeds ?? [];
    expect(embed).not.toHaveProperty('author');
    expect(embed).not.toHaveProperty('thumbnail');
    const ofTest = await shownIn({}, known, { test: true, streak: null });
    expect(ofTest?.embeds[0]).not.toHaveProperty('author');
  });

  it('can be switched off, like the streak and the large credits', async () => {
    const off = await shownIn({ avatar: false, icon: false, streak: false, largeCredits: false, voteButton: false });
    const [embed] = off?.embeds ?? [];
    expect(embed).not.toHaveProperty('author');
    expect(embed).not.toHaveProperty('thumbnail');
    expect(embed?.description?.split('\n')).toEqual([
      `<@${voter}> voted for **Lantern Harbour**.`,
      '+**20** credits (10 × 2) · Balance: **1,230** credits',
    ]);
    expect(JSON.stringify(off?.components)).not.toContain('Vote too');
  });
});

const member = (index: number) => `20000000000000000${index}`;
const from = Date.UTC(2026, 0, 5, 12);
const done = { outcome: 'done' };

const votes: VoteSummary = {
  ...{ votes: 1_200, voters: 2, credits: 12_000, moreMilestones: 3 },
  top: [
    { userId: member(1), votes: 1_199 },
    { userId: member(2), votes: 1 },
  ],
  milestones: [{ userId: member(1), votes: 1_000 }],
};

/** Handlers for a listing with these settings, and a local Discord. */
async function posting(announcements: StatedAnnouncements = {}, content: VoteSummary = votes) {
  const clock = createOffsetClock();
  const people = [1, 2].map((number) => ({ id: member(number), username: `voter ${number}` }));
  const discord = await startLocalDiscord({ clock, stopwatch: clock, rateLimits: false, people });
  onTestFinished(() => discord.stop());
  const channelId = discord.channels.announcements;
  const style = styleOf(readAnnouncements({ mode: 'digest', language: 'en', ...announcements }));
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const guilds = createKnownGuilds(rest, clock);
  const directory = createDirectory([], communityIdsOf([]));
  const messages = {
    ...{ rest, directory },
    findDeparted: createDecorations({ rest, guilds, requestsPerSecond: () => 50, clock }).findDeparted,
    clock,
    channelTexts: async () => textsIn('en-US'),
    cardOf: async () => ({ name: 'Lantern *Harbour*', url }),
    announcements: {
      ...createAnnouncements(directory),
      findStyle: (listing: string) => (listing === 'harbour' ? style : null),
    },
    voteButtons: () => [{ kind: 'action', command: 'remind', action: 'on', label: 'Remind me' } as const],
  };
  const picture = { file: { name: 'votes.png', content: png, description: 'Votes per day' }, caption: null };
  const digest = createDigestHandler({ ...messages, drawVotePicture: async () => picture }, async () => content);
  const effectIn = <Content extends { readonly channelId: string; readonly listing: string }>(
    { kind }: EffectKind<string, Content>,
    value: Omit<Content, 'channelId' | 'listing'>,
    fields: object = {},
  ) => {
    const content = { channelId, listing: 'harbour', ...value } as unknown as Content;
    return effectOf({ kind, queue: channelQueue(channelId), content }, { createdAt: clock.now(), ...fields });
  };
  const shown = () => discord.messages(channelId);
  return { clock, discord, messages, digest, effectIn, shown };
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const period = { from, until: from + hour };

/** Every text of a message, in order. */
function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'content' in value && typeof value.content === 'string' && value.content !== '' ? [value.content] : [];
  return [...own, ...Object.values(value).flatMap(textsOf)];
}

describe('a digest', () => {
  it('summarises the votes of its period, with a picture and buttons, and pings nobody', async () => {
    const { digest, effectIn, shown } = await posting();
    expect(await digest(effectIn(digestKind, period))).toEqual(done);
    expect(textsOf(shown()[0]?.components).join('\n')).toBe(
      [
        '### Votes for Lantern \\*Harbour\\*',
        '**1,200** votes from **2** members',
        'Earned: **12,000** credits',
        '',
        '**Top voters**',
        `🥇 <@${member(1)}>: **1,199** votes`,
        `🥈 <@${member(2)}>: **1** vote`,
        '',
        '**Milestones**',
        `<@${member(1)}> reached **1,000** votes.`,
        '… and 3 more',
        `-# Lantern \\*Harbour\\* · <t:${from / 1_000}:f> – <t:${(from + hour) / 1_000}:t>`,
      ].join('\n'),
    );
    expect(shown()[0]).toMatchObject({ mentions: [], attachments: [{ filename: 'votes.png' }] });
    const labels = JSON.stringify(shown()[0]?.components);
    expect(labels).toContain('"Vote too"');
    expect(labels).toContain('"Remind me"');
  });

  it('gives members with as many votes the same medal, and none after the third rank', async () => {
    const top = [5, 5, 5, 2, 1].map((own, index) => ({ userId: member(index + 1), votes: own }));
    const { digest, effectIn, shown } = await posting({}, { ...votes, top });
    await digest(effectIn(digestKind, period));
    const medals = textsOf(shown()[0]?.components)
      .join('\n')
      .match(/.*<@\d+>: /gu);
    expect(medals?.map((line) => line.split('<')[0])).toEqual(['🥇 ', '🥇 ', '🥇 ', '', '']);
  });

  it('is not posted without votes, and buried for a listing that is no more', async () => {
    const { digest, effectIn, shown } = await posting({}, { ...votes, votes: 0 });
    expect(await digest(effectIn(digestKind, period))).toEqual(done);
    const other = await posting();
    const effect = other.effectIn(digestKind, period);
    const removed = { ...effect, content: { ...effect.content, listing: 'pier' } };
    expect(await other.digest(removed)).toMatchObject({ outcome: 'bury', reason: expect.stringContaining('"pier"') });
    expect([...shown(), ...other.shown()]).toEqual([]);
  });

  it('has the colour and image of the listing, and neither milestones nor button if they are off', async () => {
    const { digest, effectIn, shown } = await posting({
      ...{ colour: '#000001', thumbnail: 'https://example.com/a.png', milestones: false, voteButton: false },
    });
    await digest(effectIn(digestKind, period));
    expect(shown()[0]?.components).toMatchObject([{ accent_color: 1 }]);
    const text = JSON.stringify(shown()[0]?.components);
    expect(text).toContain('https://example.com/a.png');
    expect(text).toContain('"description":"Lantern *Harbour*"');
    for (const hidden of ['Milestones', 'Vote too']) expect(text).not.toContain(hidden);
  });

  it('is posted without its picture where the bot may not attach files', async () => {
    const { digest, effectIn, shown, discord } = await posting();
    discord.faults.losePermission(discord.channels.announcements, 'attachFiles');
    expect(await digest(effectIn(digestKind, period))).toEqual(done);
    expect(shown()).toMatchObject([{ attachments: [], flags: MessageFlags.IsComponentsV2 }]);
    expect(textsOf(shown()[0]?.components).join('\n')).toContain('**1,200** votes');
    discord.faults.losePermission(discord.channels.announcements, 'sendMessages');
    const other = { from: from + hour, until: from + 2 * hour };
    expect(await digest(effectIn(digestKind, other, { nonce: 'another' }))).toMatchObject({
      stop: { target: discord.channels.announcements },
    });
  });

  it('is posted once if its response was lost, also after Discord has forgotten the nonce', async () => {
    const { digest, effectIn, shown, discord, clock } = await posting();
    for (const pauseMs of [0, hour]) {
      discord.faults.loseAnswers(1, /POST/);
      const possiblySentSince = clock.now();
      const fields = { nonce: `nonce ${pauseMs}` };
      const other = { from: from + pauseMs, until: from + pauseMs + hour };
      expect(await digest(effectIn(digestKind, other, fields))).toMatchObject({ outcome: 'later' });
      clock.advance(pauseMs);
      expect(await digest(effectIn(digestKind, other, { ...fields, possiblySentSince }))).toEqual(done);
    }
    expect(shown()).toHaveLength(2);
  });
});

describe('an announcement of lost streaks', () => {
  it('has the members and the days of their streaks, and how many others there are', async () => {
    const { messages, effectIn, shown } = await posting();
    const streaks = [1, 2].map((index) => ({ userId: member(index), days: index }));
    const announce = createLostStreaksHandler(messages);
    expect(await announce(effectIn(lostStreaksKind, { until: 20_458, streaks, more: 1_000 }))).toEqual(done);
    expect(shown()[0]).toMatchObject({ mentions: [], embeds: [{ footer: { text: 'January 4' } }] });
    expect(shown()[0]?.embeds[0]?.description).toBe(
      [
        `<@${member(1)}>: **1** day`,
        `<@${member(2)}>: **2** days`,
        '… and 1,000 more',
        '-# The next vote starts a new streak.',
      ].join('\n'),
    );
  });
});

describe('an announcement of a review', () => {
  const review = { username: 'Ada', rating: 4, comment: 'Good.\nVery good.', createdAt: from };

  it('has stars, author, text and time', async () => {
    const { messages, effectIn, shown } = await posting();
    const announce = createReviewHandler(messages);
    expect(await announce(effectIn(reviewKind, { id: 'a'.repeat(32), review }))).toEqual(done);
    expect(shown()[0]?.embeds[0]).toMatchObject({
      title: 'New review of Lantern \\*Harbour\\*',
      description: expect.stringMatching(/^★★★★☆.* · \*\*Ada\*\*\nGood\.\nVery good\.$/),
      timestamp: new Date(from).toISOString().replace('Z', '+00:00').replace('+00:00', 'Z'),
      url,
    });
  });

  it('escapes and cuts external texts, and manages without what the service does not send', async () => {
    const { messages, effectIn, shown } = await posting();
    const announce = createReviewHandler(messages);
    const hostile = {
      ...review,
      username: '**@everyone**',
      comment: `<@${member(1)}> ${'[a](https://x) '.repeat(500)}`,
    };
    await announce(effectIn(reviewKind, { id: 'b', review: hostile }));
    const text = shown()[0]?.embeds[0]?.description ?? '';
    expect(text.length).toBeLessThan(1_700);
    expect(text).not.toMatch(/(?<!\\)\*\*@|<@\d|(?<!\\)\[a\]/);
    expect(shown()[0]).toMatchObject({ mentions: [], mention_everyone: false });
    const empty = { username: null, rating: null, comment: '', createdAt: null };
    await announce(effectIn(reviewKind, { id: 'c', review: empty }, { nonce: 'another' }));
    expect(shown()[1]?.embeds[0]).toMatchObject({
      description: 'No rating · **Anonymous**\n*No text.*',
      footer: { text: 'c' },
    });
  });
});
