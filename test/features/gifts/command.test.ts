import type { Message } from 'local-discord';
import { describe, expect, it, vi } from 'vitest';
import { controlsOf } from '../../../packages/local-discord/src/objects.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { textOf } from '../../support/message-text.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { startApp } from '../../support/start-app.ts';

const patience = { timeout: 15_000, interval: 50 };

/** The program in a guild where members may give each other credits, and two members; the first one is its owner. */
async function startGifts(rewards: object = { giftLimit: 60 }) {
  const discord = await localDiscord();
  await startApp({
    ...environmentWith([{ ...harbour, guildId: discord.guildId, rewards }]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, PORT: '0' },
    ...{ CACHE_URL: 'memory:', DATABASE_URL: newSqliteUrl() },
  });
  const [giver, receiver] = discord.members;
  if (giver === undefined || receiver === undefined) throw new Error('The local Discord has no members.');
  const place = { channelId: discord.channels.general, userId: giver.id };
  const run = (name: string, options: Record<string, string | number> = {}, userId = giver.id) =>
    discord.runCommand({ ...place, name, options, userId }).settled;
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('award'), patience);
  await run('award', { user: giver.id, credits: 100, reason: 'deposit' });
  const press = (message: Message, label: string) => {
    const control = controlsOf(message.components).find((each) => 'label' in each && each.label === label);
    return discord.clickButton(message.id, control?.custom_id ?? '', giver.id).settled;
  };
  const give = (credits: number, user = receiver.id) => run('gift', { user, credits });
  const accountOf = async (userId: string) => {
    const [account] = (await run('credits', {}, userId)).embeds;
    return [account?.description, ...(account?.fields ?? []).map(({ value }) => value)].join('\n');
  };
  return { discord, giver, receiver, run, give, press, accountOf };
}

describe('/gift', () => {
  it('asks, gives once however often Confirm is pressed, and both find it in /credits, without a ping', async () => {
    const { giver, receiver, give, press, accountOf } = await startGifts();
    const question = await give(25);
    expect(textOf(question)).toContain(`**25** credits for <@${receiver.id}>`);
    expect(textOf(question)).toContain('**100** → **75**');
    expect(await accountOf(receiver.id)).not.toContain('25');
    const receipts = await Promise.all([press(question, 'Confirm'), press(question, 'Confirm')]);
    for (const receipt of receipts) {
      expect(textOf(receipt)).toContain(`<@${receiver.id}> got **25** credits from you.`);
      expect(receipt.mentions).toEqual([]);
    }
    expect(await accountOf(giver.id)).toContain(`**−25** · Gift to <@${receiver.id}> · `);
    expect(await accountOf(receiver.id)).toContain(`**+25** · Gift from <@${giver.id}> · `);
    expect(textOf(await give(40))).toContain('at most **60** credits a day, and 35 of them are left');
  });

  it('refuses oneself, bots, those who are not members, and more than there is', async () => {
    const { discord, giver, give, run, press, accountOf, receiver } = await startGifts({ giftLimit: 1_000 });
    expect(textOf(await give(5, giver.id))).toContain('to yourself');
    expect(textOf(await give(5, discord.applicationId))).toContain('is a bot');
    expect(textOf(await give(101))).toContain('You only have **100** credits');
    const question = await give(100);
    await run('award', { user: giver.id, credits: -1, reason: 'fee' });
    expect(textOf(await press(question, 'Confirm'))).toContain('You only have **99** credits');
    expect(textOf(await press(await give(5), 'Cancel'))).toContain('Nothing was given');
    expect(await accountOf(receiver.id)).toContain('**0** credits');
    discord.guild.leave(receiver.id);
    expect(textOf(await give(5))).toContain('is not a member of this server');
  });

  it('is not offered where it is off', async () => {
    const { discord } = await startGifts({});
    expect(discord.commands().map(({ name }) => name)).not.toContain('gift');
  });
});
