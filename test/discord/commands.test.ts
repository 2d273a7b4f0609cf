import { day, hour } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { decodePng } from '@tallyhook/platform/testing/png';
import { markup } from '@tallyhook/platform/texts/markup';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { command, connectedBot, take } from '../support/bot.ts';
import { bot, fakeLookup, reviewOf, server, start } from '../support/command-fixture.ts';
import { serverAndBot } from '../support/listings.ts';

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
  it('/stats shows a picture of the votes where the bot may attach files', async () => {
    const { discord, run, store } = await connectedBot(commands, { listings });
    const [listing] = serverAndBot();
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
});
