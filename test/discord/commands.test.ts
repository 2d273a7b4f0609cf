import { day, hour } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { decodePng } from '@tallyhook/platform/testing/png';
import { markup } from '@tallyhook/platform/texts/markup';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { controlsOf } from '../../packages/local-discord/src/objects.ts';
import { command, connectedBot, take } from '../support/bot.ts';
import { bot, fakeLookup, reviewOf, server, start } from '../support/command-fixture.ts';
import { firstCommunity } from '../support/communities.ts';
import { serverAndBot } from '../support/listings.ts';
import { textOf } from '../support/message-text.ts';
import { keys } from '../support/shop-store.ts';

const many = Array.from({ length: 12 }, (_, place) =>
  reviewOf({ username: `writer${place + 1}`, comment: 'A fine place. '.repeat(400) }),
);
const listings = [
  {
    name: 'server',
    lookup: fakeLookup('server', {
      profile: async () => server,
      voteStatus: (userId) => ({ canVote: userId.endsWith('1'), lastVoteAt: start, nextVoteAt: start + 12 * hour }),
      reviews: ({ limit }) => ({ reviews: many.slice(0, limit), total: 345 }),
    }),
  },
  { name: 'bot', lookup: fakeLookup('bot', { profile: async () => bot }) },
] as const;

describe('the commands on Discord', () => {
  it('/canvote answers ephemerally, with a link to the page', async () => {
    const { discord, run } = await connectedBot(commands, { listings });
    const answer = await run('canvote').settled;
    expect(controlsOf(answer.components)[0]).toMatchObject({ style: 5, url: server.url });
    expect(discord.messages(discord.channels.general)).toEqual([]);
  });

  it('/canvote reports that the service cannot be reached, and works for another listing', async () => {
    const { run, other } = await connectedBot(commands, { listings });
    const refused = await run('canvote', { user: other.id, listing: 'bot' }).settled;
    expect(refused.embeds[0]?.description).toMatch(
      /^The listing service cannot be reached\. Please try again <t:\d+:R>\.$/,
    );
    expect((await run('canvote', { user: other.id }).settled).embeds[0]?.description).toContain(`<@${other.id}>`);
  });

  it('/canvote offers a reminder and the other listings until the next vote', async () => {
    const { discord, other } = await connectedBot(commands, {
      clock: manualClock(start + hour),
      listings: [listings[0], { name: 'bot', lookup: fakeLookup('bot', { cachedProfile: bot }) }],
    });
    const use = discord.runCommand({ name: 'canvote', userId: other.id, channelId: discord.channels.general });
    expect(controlsOf((await use.settled).components)).toMatchObject([
      { label: 'Remind me', custom_id: 'tallyhook:remind/on:' },
      { label: 'Vote for Lamplighter', style: 5, url: bot.url },
    ]);
  });

  it('/reviews turns its pages, also with the longest reviews', async () => {
    const { discord, run, other } = await connectedBot(commands, { listings });
    const { id } = await run('reviews', { limit: 12, sort: 'highest' }).settled;
    const shown = () => discord.messages(discord.channels.general)[0];
    const click = async (label: string) => {
      const button = controlsOf(shown()?.components ?? []).find((each) => 'label' in each && each.label === label);
      await discord.clickButton(id, button?.custom_id ?? '', other.id).response;
    };
    expect(shown()?.embeds[0]?.footer?.text).toBe('Best rated 12 of 345 · page 1 of 3');
    await click('Next');
    await click('Next');
    expect(shown()?.embeds[0]?.fields?.map(({ name }) => name)).toEqual([
      '★★★★★ 5/5 · writer11',
      '★★★★★ 5/5 · writer12',
    ]);
    await expect(click('Next')).rejects.toThrow('disabled');
    await click('Previous');
    expect(shown()?.embeds[0]?.footer?.text).toContain('page 2 of 3');
    const filter = controlsOf(shown()?.components ?? [])[0]?.custom_id ?? '';
    await discord.select({ messageId: id, customId: filter, values: ['5'], userId: other.id }).response;
    expect(shown()?.embeds[0]?.footer?.text).toBe('With 5 stars: 12 of the 12 highest rated reviews · page 1 of 3');
    await click('Next');
    expect(shown()?.embeds[0]?.footer?.text).toContain(
      'With 5 stars: 12 of the 12 highest rated reviews · page 2 of 3',
    );
  });

  it('/stats shows either listing to everybody', async () => {
    const { discord, run } = await connectedBot(commands, { listings });
    await run('stats').settled;
    await run('stats', { listing: 'bot' }).settled;
    expect(discord.messages(discord.channels.general).map(({ embeds }) => embeds[0]?.title)).toEqual([
      'Lantern Harbour',
      'Lamplighter',
    ]);
  });

  it('/stats shows a picture of the votes where the bot may attach files', async () => {
    const { discord, run, store } = await connectedBot(commands, { listings });
    const [listing] = serverAndBot();
    if (listing === undefined) throw new Error('no listing');
    const lastWeek = Date.now() - 8 * day;
    await store.recorder.recordClaim({ userId: '1', at: lastWeek }, listing, lastWeek);
    const withPicture = await run('stats').settled;
    const [embed] = withPicture.embeds;
    expect(embed?.image?.description).toMatch(/^Bar chart of the votes per day .* Total: 1\./);
    const response = await fetch(embed?.image?.url ?? '');
    const { width, height } = decodePng(new Uint8Array(await response.arrayBuffer()));
    expect([width, height]).toEqual([900, 450]);
    // Discord: a file that an embed shows is no attachment of the message.
    expect(withPicture.attachments).toEqual([]);
    discord.faults.losePermission(discord.channels.general, 'attachFiles');
    const without = await run('stats').settled;
    expect(without.embeds[0]).toMatchObject({ title: 'Lantern Harbour' });
    expect(without.embeds[0]).not.toHaveProperty('image');
  });

  it('a picture that Discord rejects is left out, whether the reply is deferred or not', async () => {
    const tooLarge = { name: 'a.png', content: new Uint8Array(10 * 1024 * 1024 + 1), description: 'A picture' };
    const clock = manualClock();
    for (const delayMs of [0, 1_100]) {
      const draw = command({
        async execute() {
          await take(clock, delayMs);
          return { tone: 'good', text: markup`The text`, files: [tooLarge], image: tooLarge.name };
        },
      });
      const { run, logged } = await connectedBot([draw], { clock });
      const message = await run('say').settled;
      expect(message).toMatchObject({ embeds: [{ description: 'The text' }], attachments: [] });
      expect(logged.filter(({ level }) => level >= 40)).toMatchObject([
        { msg: expect.stringContaining('replying without it') },
      ]);
    }
  });

  it('/help mentions the commands by their ids', async () => {
    const { discord, run, other } = await connectedBot(commands, { listings });
    const text = (await run('help').settled).embeds[0]?.description;
    for (const { id, name, type } of discord.commands())
      expect(text).toContain(type === 1 ? `</${name}:${id}>` : `**${name}**`);
    const use = { name: 'help', userId: other.id, channelId: discord.channels.general };
    const forOthers = (await discord.runCommand(use).settled).embeds[0]?.description;
    expect(forOthers).toContain('</stats:');
    expect(forOthers).not.toContain('</award:');
  });

  it('/award corrects an account, privately', async () => {
    const { discord, run, store, other } = await connectedBot(commands, { listings });
    const answer = await run('award', { user: other.id, credits: 25, reason: 'Helped others' }).settled;
    expect(answer.embeds[0]?.description).toContain('now has **25** credits (+25).');
    expect(discord.messages(discord.channels.general)).toEqual([]);
    expect((await store.ledgerIn(firstCommunity).account(other.id)).credits).toBe(25);
    const use = { name: 'award', userId: other.id, channelId: discord.channels.general };
    expect(() => discord.runCommand({ ...use, options: { user: other.id, credits: 1, reason: 'x' } })).toThrow(
      'You do not have permission',
    );
  });

  it('/credits shows an account privately', async () => {
    const { discord, run, store, member } = await connectedBot(commands, { listings });
    await store.recorder.correct(
      { communityId: firstCommunity, userId: member.id, credits: 25, reason: 'test', at: start },
      '1',
    );
    const { embeds } = await run('credits').settled;
    expect(embeds[0]?.description).toMatch(/^\*\*25\*\* credits · rank \*\*#1\*\*\n/);
    expect(embeds[0]?.fields).toMatchObject([
      { name: 'Next vote', value: '**Lantern Harbour**: now\n**Lamplighter**: now' },
      { name: 'Latest entries', value: expect.stringContaining('Correction') },
    ]);
    expect(discord.messages(discord.channels.general)).toEqual([]);
  });

  it('/leaderboard turns its pages for everybody, with the line of the member who turned them, and never pings', async () => {
    const { discord, run, store, member, other } = await connectedBot(commands, { listings });
    for (let number = 0; number < 12; number += 1) {
      const userId = number === 11 ? other.id : number === 0 ? member.id : String(100 + number);
      await store.recorder.correct(
        { communityId: firstCommunity, userId, credits: 50 - number, reason: 'test', at: start },
        userId,
      );
    }
    const { id } = await run('leaderboard', { by: 'credits' }).settled;
    const shown = () => discord.messages(discord.channels.general)[0];
    const click = async (label: string) => {
      const button = controlsOf(shown()?.components ?? []).find((each) => 'label' in each && each.label === label);
      await discord.clickButton(id, button?.custom_id ?? '', other.id).settled;
    };
    const lastLines = () => textOf(shown()).split('\n').slice(-2);
    const [first, second] = ['-# page 1 of 2 · 12 members', '-# page 2 of 2 · 12 members'];
    expect(lastLines()).toEqual(['**#10** <@109> · **41** credits', first]);
    expect(textOf(shown())).toContain(`🥇 **#1** <@${member.id}> · **50** credits`);
    await click('Me');
    expect(lastLines()).toEqual([`**#12** <@${other.id}> · **39** credits`, second]);
    await click('Previous');
    expect(textOf(shown())).toContain(`🥇 **#1** <@${member.id}>`);
    expect(lastLines()).toEqual([`**#12** <@${other.id}> · **39** credits`, first]);
    const customId = 'tallyhook:leaderboard/by:period=all';
    await discord.select({ messageId: id, customId, userId: other.id, values: ['votes'] }).settled;
    expect(textOf(shown())).toMatch(/^### Most votes\n/);
    expect(shown()).toMatchObject({ id, mentions: [], embeds: [] });
  });

  it('/shop sells an item over its buttons, once for two presses, to the member alone', async () => {
    const { discord, run, store, member, other } = await connectedBot(commands, { listings, items: [keys] });
    const userId = member.id;
    await store.recorder.correct(
      { communityId: firstCommunity, userId, credits: 25, reason: 'deposit', at: start },
      'deposit',
    );
    const message = await run('shop').settled;
    const press = async (shown: typeof message, label: string) => {
      const button = controlsOf(shown.components).find((each) => 'label' in each && each.label === label);
      return discord.clickButton(message.id, button?.custom_id ?? '', userId).settled;
    };
    expect(textOf(message)).toContain(
      'Your balance: **25** credits\n**Game key** · **10** credits\n-# a code · 3 left',
    );
    const confirmation = await press(message, 'Buy');
    expect(textOf(confirmation)).toContain('**25** → **15**');
    const confirm = controlsOf(confirmation.components)[0]?.custom_id ?? '';
    const presses = [1, 2].map(() => discord.clickButton(message.id, confirm, userId).settled);
    for (const receipt of await Promise.all(presses)) expect(textOf(receipt)).toContain('AAA-1');
    expect((await store.ledgerIn(firstCommunity).account(userId)).credits).toBe(15);
    expect(discord.messages(discord.channels.general)).toEqual([]);
    expect(() => discord.clickButton(message.id, confirm, other.id)).toThrow('cannot see this message');
  });

  it('can be run in direct messages if they need no guild', async () => {
    const { discord, rest, other } = await connectedBot(commands, { listings });
    const { id: channelId } = (await rest.post('/users/@me/channels', { recipient_id: other.id })) as { id: string };
    const use = { userId: other.id, channelId };
    const answer = await discord.runCommand({ ...use, name: 'canvote' }).settled;
    expect(answer.embeds[0]?.title).toBe('Not yet');
    expect(() => discord.runCommand({ ...use, name: 'award' })).toThrow('/award cannot be used in this channel');
  });
});
