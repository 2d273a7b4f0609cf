import { hour } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { MessageFlags } from 'discord.js';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { styleOf } from '../../../src/core/announcements/announcement-style.ts';
import type { Effect, EffectKind } from '../../../src/core/outbox/effect-kind.ts';
import { createFindDeparted, createKnownGuilds } from '../../../src/discord/known-guilds.ts';
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
import { communityIdsOf } from '../../support/communities.ts';
import { channelQueue } from '../../support/queues.ts';

const member = (index: number) => `20000000000000000${index}`;
const url = 'https://listing.example/server/1';
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
  const messages = {
    rest,
    findDeparted: createFindDeparted({ rest, guilds, requestsPerSecond: () => 50, clock }),
    clock,
    channelTexts: async () => textsIn('en-US'),
    cardOf: async () => ({ name: 'Lantern *Harbour*', url }),
    announcements: {
      ...createAnnouncements(createDirectory([], communityIdsOf([]))),
      findStyle: (listing: string) => (listing === 'harbour' ? style : null),
    },
    voteButtons: () => [{ kind: 'action', command: 'remind', action: 'on', label: 'Remind me' } as const],
  };
  const picture = { file: { name: 'votes.png', content: png, description: 'Votes per day' }, caption: null };
  const digest = createDigestHandler({ ...messages, drawVotePicture: async () => picture }, async () => content);
  const common = {
    id: 1,
    deliveryId: null,
    queue: channelQueue(channelId),
    attempts: 1,
    nonce: 'a-nonce',
    possiblySentSince: null,
  };
  const effectOf = <Content extends { readonly channelId: string; readonly listing: string }>(
    { kind }: EffectKind<string, Content>,
    value: Omit<Content, 'channelId' | 'listing'>,
    fields: object = {},
  ) =>
    ({
      ...{ ...common, kind, createdAt: clock.now(), content: { channelId, listing: 'harbour', ...value } },
      ...fields,
    }) as unknown as Effect<Content>;
  const shown = () => discord.messages(channelId);
  return { clock, discord, messages, digest, effectOf, shown };
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
    const { digest, effectOf, shown } = await posting();
    expect(await digest(effectOf(digestKind, period))).toEqual(done);
    expect(textsOf(shown()[0]?.components).join('\n')).toBe(
      [
        '### Votes for Lantern \\*Harbour\\*',
        '**1,200** votes from **2** members',
        'Earned: **12,000** credits',
        '',
        '**Top voters**',
        `<@${member(1)}>: **1,199** votes`,
        `<@${member(2)}>: **1** vote`,
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

  it('is not posted without votes, and buried for a listing that is no more', async () => {
    const { digest, effectOf, shown } = await posting({}, { ...votes, votes: 0 });
    expect(await digest(effectOf(digestKind, period))).toEqual(done);
    const other = await posting();
    const effect = other.effectOf(digestKind, period);
    const removed = { ...effect, content: { ...effect.content, listing: 'pier' } };
    expect(await other.digest(removed)).toMatchObject({ outcome: 'bury', reason: expect.stringContaining('"pier"') });
    expect([...shown(), ...other.shown()]).toEqual([]);
  });

  it('has the colour and image of the listing, and neither milestones nor button if they are off', async () => {
    const { digest, effectOf, shown } = await posting({
      ...{ colour: '#000001', thumbnail: 'https://example.com/a.png', milestones: false, voteButton: false },
    });
    await digest(effectOf(digestKind, period));
    expect(shown()[0]?.components).toMatchObject([{ accent_color: 1 }]);
    const text = JSON.stringify(shown()[0]?.components);
    expect(text).toContain('https://example.com/a.png');
    expect(text).toContain('"description":"Lantern *Harbour*"');
    for (const hidden of ['Milestones', 'Vote too']) expect(text).not.toContain(hidden);
  });

  it('names members who have left', async () => {
    const { digest, effectOf, shown, discord } = await posting();
    discord.guild.leave(member(2));
    expect(await digest(effectOf(digestKind, period))).toEqual(done);
    const text = textsOf(shown()[0]?.components).join('\n');
    expect(text).toContain(`<@${member(1)}>`);
    expect(text).not.toContain(`<@${member(2)}>`);
    expect(text).toContain('voter 2');
  });

  it('is posted without its picture where the bot may not attach files', async () => {
    const { digest, effectOf, shown, discord } = await posting();
    discord.faults.losePermission(discord.channels.announcements, 'attachFiles');
    expect(await digest(effectOf(digestKind, period))).toEqual(done);
    expect(shown()).toMatchObject([{ attachments: [], flags: MessageFlags.IsComponentsV2 }]);
    expect(textsOf(shown()[0]?.components).join('\n')).toContain('**1,200** votes');
    discord.faults.losePermission(discord.channels.announcements, 'sendMessages');
    const other = { from: from + hour, until: from + 2 * hour };
    expect(await digest(effectOf(digestKind, other, { nonce: 'another' }))).toMatchObject({
      stop: { target: discord.channels.announcements },
    });
  });

  it('is posted once if its response was lost, also after Discord has forgotten the nonce', async () => {
    const { digest, effectOf, shown, discord, clock } = await posting();
    for (const pauseMs of [0, hour]) {
      discord.faults.loseAnswers(1, /POST/);
      const possiblySentSince = clock.now();
      const fields = { nonce: `nonce ${pauseMs}` };
      const other = { from: from + pauseMs, until: from + pauseMs + hour };
      expect(await digest(effectOf(digestKind, other, fields))).toMatchObject({ outcome: 'later' });
      clock.advance(pauseMs);
      expect(await digest(effectOf(digestKind, other, { ...fields, possiblySentSince }))).toEqual(done);
    }
    expect(shown()).toHaveLength(2);
  });
});

describe('an announcement of lost streaks', () => {
  it('has the members and the days of their streaks, and how many others there are', async () => {
    const { messages, effectOf, shown } = await posting();
    const streaks = [1, 2].map((index) => ({ userId: member(index), days: index }));
    const announce = createLostStreaksHandler(messages);
    expect(await announce(effectOf(lostStreaksKind, { until: 20_458, streaks, more: 1_000 }))).toEqual(done);
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
    const { messages, effectOf, shown } = await posting();
    const announce = createReviewHandler(messages);
    expect(await announce(effectOf(reviewKind, { id: 'a'.repeat(32), review }))).toEqual(done);
    expect(shown()[0]?.embeds[0]).toMatchObject({
      title: 'New review of Lantern \\*Harbour\\*',
      description: expect.stringMatching(/^★★★★☆.* · \*\*Ada\*\*\nGood\.\nVery good\.$/),
      timestamp: new Date(from).toISOString().replace('Z', '+00:00').replace('+00:00', 'Z'),
      url,
    });
  });

  it('escapes and cuts external texts, and manages without what the service does not send', async () => {
    const { messages, effectOf, shown } = await posting();
    const announce = createReviewHandler(messages);
    const hostile = {
      ...review,
      username: '**@everyone**',
      comment: `<@${member(1)}> ${'[a](https://x) '.repeat(500)}`,
    };
    await announce(effectOf(reviewKind, { id: 'b', review: hostile }));
    const text = shown()[0]?.embeds[0]?.description ?? '';
    expect(text.length).toBeLessThan(1_700);
    expect(text).not.toMatch(/(?<!\\)\*\*@|<@\d|(?<!\\)\[a\]/);
    expect(shown()[0]).toMatchObject({ mentions: [], mention_everyone: false });
    const empty = { username: null, rating: null, comment: '', createdAt: null };
    await announce(effectOf(reviewKind, { id: 'c', review: empty }, { nonce: 'another' }));
    expect(shown()[1]?.embeds[0]).toMatchObject({
      description: 'No rating · **Anonymous**\n*No text.*',
      footer: { text: 'c' },
    });
  });
});
