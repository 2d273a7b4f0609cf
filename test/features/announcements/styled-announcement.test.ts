import { hour } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { styleOf } from '../../../src/core/announcements/announcement-style.ts';
import type { Announcement, Effect } from '../../../src/core/outbox/effect-kind.ts';
import type { Portraits } from '../../../src/discord/known-guilds.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { readAnnouncements, type StatedAnnouncements } from '../../../src/features/settings.ts';
import { plainAnnouncer } from '../../support/announcer.ts';
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
  const effect = (changes: Partial<Announcement> = {}, id = 1): Effect<Announcement> => ({
    ...{ id, deliveryId: id, kind: 'announcement', queue: channelQueue(discord.channels.announcements), attempts: 1 },
    ...{ content: { ...vote, ...changes }, createdAt: at, nonce: `nonce ${id}`, possiblySentSince: null },
  });
  const messages = () => discord.messages(discord.channels.announcements);
  const announce = async (changes: Partial<Announcement> = {}) => {
    expect(await perform([effect(changes, messages().length + 1)])).toEqual({ outcome: 'done' });
    const message = messages().at(-1);
    return message?.embeds[0] ?? panelOf(message?.components);
  };
  return { at, clock, discord, database, perform, effect, announce, messages, reads: () => reads };
}

/** The title and the text of a panel, in the shape of an embed. */
function panelOf(components: unknown) {
  const [title, ...texts] = JSON.stringify(components)
    .split('"content":"')
    .slice(1)
    .flatMap((part) => String(JSON.parse(`"${part.slice(0, part.search(/(?<!\\)"/))}"`)).split('\n'));
  return { title: title?.replace('### ', ''), description: texts.slice(0, -1).join('\n') };
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

  it('keeps its own text and title if only the other is configured', async () => {
    const { announce } = await announcing({ title: 'Yay' });
    const embed = await announce();
    expect(embed?.title).toBe('Yay');
    expect(embed?.description).toContain(`<@${voter}> voted for **Lantern Harbour**.`);
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

  it('reads the votes of the member only for texts that contain them', async () => {
    const { announce, reads } = await announcing({ text: '{mention}' });
    await announce();
    expect(reads()).toBe(0);
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

  it('is a message of its own if it would be cut beside a panel', async () => {
    const { perform, effect, messages } = await announcing({
      title: 'a'.repeat(200),
      text: `${'b'.repeat(180)} {mention}`,
    });
    const earned = { credits: 120, bonuses: [milestone] };
    const effects = Array.from({ length: 10 }, (_, index) => effect(index === 0 ? earned : {}, index + 1));
    expect(await perform(effects)).toMatchObject({ outcome: 'split' });
    expect(await perform(effects.slice(0, 5))).toEqual({ outcome: 'done' });
    const shown = JSON.stringify(messages());
    expect(shown.match(/a{200}/g)).toHaveLength(5);
    expect(shown).not.toContain('…');
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

  it('are the picture of a milestone, whose panel has no place for a name', async () => {
    const message = await shownIn({}, known, { bonuses: [milestone] });
    expect(JSON.stringify(message?.components)).toContain(avatarUrl);
    expect(JSON.stringify(message?.components)).not.toContain(icon);
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
