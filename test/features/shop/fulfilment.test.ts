import { minute } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import type { Message } from 'local-discord';
import { describe, expect, it, vi } from 'vitest';
import { controlsOf } from '../../../packages/local-discord/src/objects.ts';
import { createUnreadyReports, findUnreadyItems, renderUnreadyItem } from '../../../src/features/shop/parts.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { firstCommunity } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { textOf } from '../../support/message-text.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directMessageQueue } from '../../support/queues.ts';
import { guildId, shout, start } from '../../support/shop-store.ts';
import { startApp } from '../../support/start-app.ts';
import { openLedger } from '../../support/voting.ts';

const patience = { timeout: 15_000, interval: 50 };

/** The program with a shop, and a member with 100 credits. The owner's channel is that for premium. */
async function startShop(settingsIn: (discord: Awaited<ReturnType<typeof localDiscord>>) => object = () => ({})) {
  const discord = await localDiscord();
  const role = discord.roles.vip;
  const listing = {
    ...{ ...harbour, guildId: discord.guildId, ownerChannelId: discord.channels.premium },
    shop: [
      { id: 'vip', name: 'VIP', price: 30, role, for: '7d' },
      { id: 'shout', name: 'Shout-out', price: 50, manual: true },
    ],
    ...settingsIn(discord),
  };
  const { app } = await startApp({
    ...environmentWith([listing]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, OWNER_TOKEN: 'owner-token-for-tests' },
  });
  const [manager, buyer] = discord.members;
  if (manager === undefined || buyer === undefined) throw new Error('The local Discord has no members.');
  const use = { channelId: discord.channels.general };
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('award'), patience);
  const award = { user: buyer.id, credits: 100, reason: 'deposit' };
  await vi.waitFor(async () => {
    await discord.runCommand({ ...use, name: 'award', options: award, userId: manager.id }).settled;
    expect((await app.ledger.account(buyer.id))?.credits).toBe(100);
  }, patience);

  const buttonOf = (message: Message, label: string) =>
    controlsOf(message.components).find((each) => 'label' in each && each.label === label)?.custom_id ?? '';
  const press = (message: Message, label: string, userId = buyer.id) =>
    discord.clickButton(message.id, buttonOf(message, label), userId).settled;
  const open = () => discord.runCommand({ ...use, name: 'shop', userId: buyer.id }).settled;
  const choose = async (item: string): Promise<Message> =>
    discord.clickButton((await open()).id, `tallyhook:shop/buy:item=${item}`, buyer.id).settled;
  const buy = async (item: string): Promise<Message> => press(await choose(item), 'Confirm');
  const reports = () => discord.messages(discord.channels.premium);
  const credits = async () => (await app.ledger.account(buyer.id))?.credits;
  return { discord, role, manager, buyer, open, choose, buy, press, reports, credits };
}

describe('the shop', () => {
  it('sells a role, which Discord gives to the buyer', async () => {
    const { discord, role, buyer, buy, credits } = await startShop();
    expect(textOf(await buy('vip'))).toContain('is yours until');
    await vi.waitFor(() => expect(discord.rolesOf(buyer.id)).toContain(role), patience);
    expect(await credits()).toBe(70);
  });

  it('refunds a role that was moved above the role of the bot meanwhile, once, and reports it to the owner', async () => {
    const { discord, role, choose, press, buyer, credits, reports } = await startShop();
    const confirmation = await choose('vip');
    discord.guild.moveRole(role, 9);
    await press(confirmation, 'Confirm');
    await vi.waitFor(async () => expect(await credits()).toBe(100), patience);
    const texts = () => reports().map(({ embeds }) => embeds[0]?.description);
    await vi.waitFor(() => expect(texts()).toContainEqual(expect.stringContaining('the price was refunded')), patience);
    expect(discord.rolesOf(buyer.id)).not.toContain(role);
  });

  it('does not sell what nobody can get, and tells the team once what is missing', async () => {
    const { discord, open, buy, reports, credits } = await startShop(({ roles }) => ({
      shop: [
        { id: 'mod', name: 'Moderator', price: 1, role: roles.moderator },
        { id: 'key', name: 'Key', price: 1, codes: ['AAA-1'], needsRole: roles.premium },
        { id: 'vip', name: 'VIP', price: 30, role: roles.vip },
      ],
    }));
    discord.guild.deleteRole(discord.roles.premium);
    for (const opened of [await open(), await open()]) {
      const names = [...textOf(opened).matchAll(/\*\*(\w+)\*\* · /g)].map(([, name]) => name);
      expect(names).toEqual(['VIP']);
      const buttons = controlsOf(opened.components).filter((each) => 'label' in each && each.label === 'Buy');
      expect(buttons).toHaveLength(1);
    }
    expect(textOf(await buy('vip'))).toContain('is yours');
    expect(await credits()).toBe(70);
    const texts = () => reports().map(({ embeds }) => embeds[0]?.description);
    await vi.waitFor(() => expect(texts()).toHaveLength(2), patience);
    expect(texts()).toEqual([
      expect.stringMatching(
        /^\*\*Moderator\*\* is in the shop, but nobody can buy it\.\n.* is above the role of the bot\./,
      ),
      expect.stringMatching(/^\*\*Key\*\* is in the shop, but nobody can buy it\.\nThis server has no such role\./),
    ]);
  });

  it('takes out of the shop what is used up or over, and reports it to the team once', async () => {
    const { open, buy, reports } = await startShop(() => ({
      shop: [
        { id: 'key', name: 'Key', price: 1, codes: ['AAA-1'] },
        { id: 'old', name: 'Summer', price: 1, manual: true, until: '2026-01-01T00:00:00Z' },
        { id: 'new', name: 'Winter', price: 1, manual: true, from: '2100-01-01T00:00:00Z' },
        { id: 'shout', name: 'Shout', price: 1, manual: true, limit: 1 },
      ],
    }));
    const names = async () => [...textOf(await open()).matchAll(/\*\*(\w+)\*\* · /g)].map(([, name]) => name);
    expect(await names()).toEqual(['Key', 'Shout']);
    expect(textOf(await buy('key'))).toContain('AAA-1');
    expect(await names()).toEqual(['Shout']);
    await buy('shout');
    expect(textOf(await open())).toContain('You have bought this as often as you can.');
    const problems = () => reports().flatMap(({ embeds }) => (embeds[0]?.title?.includes('cannot') ? embeds[0] : []));
    await vi.waitFor(() => expect(problems()).toHaveLength(2), patience);
    expect(problems().map(({ description }) => description)).toEqual([
      expect.stringMatching(/^\*\*Summer\*\* .*\nIts time is over/),
      expect.stringMatching(/^\*\*Key\*\* .*\nAll its codes are issued/),
    ]);
  });

  it('sells a role for another member, who is named, and refuses bots', async () => {
    const { discord, role, manager, buyer, choose, press, credits, reports } = await startShop();
    const choosing = await choose('vip');
    const select = (message: Message, userId: string) => {
      const customId = controlsOf(message.components).find((each) => each.custom_id?.includes('shop/for'))?.custom_id;
      return discord.select({ messageId: message.id, customId: customId ?? '', userId: buyer.id, values: [userId] })
        .settled;
    };
    const refused = await select(choosing, discord.applicationId);
    expect(textOf(refused)).toContain('is a bot');
    const confirmation = await select(choosing, manager.id);
    expect(textOf(confirmation)).toContain(`For <@${manager.id}>`);
    for (const receipt of await Promise.all([press(confirmation, 'Confirm'), press(confirmation, 'Confirm')])) {
      expect(textOf(receipt)).toContain(`For <@${manager.id}>`);
      expect(receipt.mentions).toEqual([]);
    }
    expect(await credits()).toBe(70);
    await vi.waitFor(() => expect(discord.rolesOf(manager.id)).toContain(role), patience);
    expect(discord.rolesOf(buyer.id)).not.toContain(role);
    const shout = await select(await choose('shout'), manager.id);
    await press(shout, 'Confirm');
    await vi.waitFor(() => expect(reports()).toHaveLength(1), patience);
    expect(reports()[0]?.embeds[0]?.description).toContain(
      `<@${buyer.id}> bought **Shout-out** (**50** credits) for <@${manager.id}>.`,
    );
  });

  it('reports what the owner fulfils, and a manager presses Done', async () => {
    const { manager, buyer, buy, press, reports, credits } = await startShop();
    await buy('shout');
    await vi.waitFor(() => expect(reports()).toHaveLength(1), patience);
    const [report] = reports();
    if (report === undefined) throw new Error('no report');
    const refused = await press(report, 'Done');
    expect(refused.embeds[0]?.description).toContain('Manage Server');
    const done = await press(report, 'Done', manager.id);
    expect(done.embeds[0]?.description).toContain(`Done, by <@${manager.id}>.`);
    expect(controlsOf(reports()[0]?.components ?? [])).toEqual([]);
    expect(buyer.id).not.toBe(manager.id);
    expect(await credits()).toBe(50);
  });
});

describe('an item that nobody can buy', () => {
  it('is reported once to the member who last changed the settings, if there is no channel for reports', async () => {
    const clock = manualClock(start);
    const store = await openLedger(newSqliteUrl(), clock);
    const manager = '200000000000000007';
    const author = { guildId, authorId: manager, interactionId: '1', at: start, basis: null, undoes: null };
    await store.settings.save({
      ...author,
      values: [{ listing: '', path: 'timeZone', after: { value: '"UTC"', sealed: null } }],
    });
    const shop = { communityId: firstCommunity, guildId, items: [shout], ownerChannelId: null };
    const queue = directMessageQueue(manager, firstCommunity);
    const guildName = 'Lantern Harbour';
    const nudged: string[] = [];
    const { log } = collectingLog();
    // As in two processes.
    for (let process = 0; process < 2; process += 1) {
      const report = createUnreadyReports({
        ...{ store, clock, log },
        nudge: (queues) => nudged.push(...queues),
      });
      for (const unready of findUnreadyItems(shop, null)) {
        await report(shop, unready, guildName);
        await report(shop, unready, guildName);
      }
    }
    expect(new Set(nudged)).toEqual(new Set([queue]));
    const message = { type: 'itemUnready', item: 'Shout-out', issue: 'no_channel', role: null, guildName } as const;
    const effects = await store.outbox.claim(queue, start, start + minute, 10);
    expect(effects).toMatchObject([{ kind: 'directMessage', content: { userId: manager, message } }]);
    expect(renderUnreadyItem(message, textsIn('en-US'))).toMatchObject({
      title: 'An item cannot be bought · Lantern Harbour',
      text: expect.stringMatching(
        /^\*\*Shout-out\*\* is in the shop.*\n\*\*Reports\*\*: none\nFor problems and purchases/,
      ),
    });
  });
});
