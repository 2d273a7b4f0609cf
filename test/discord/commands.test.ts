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
});
