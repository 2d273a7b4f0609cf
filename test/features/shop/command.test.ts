import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { shop } from '../../../commands/shop.ts';
import type { Panel, Reply, ReplyButton } from '../../../src/discord/commands/reply.ts';
import { renderReply } from '../../../src/discord/rendering/message.ts';
import { createShop, renderPurchaseMessage, renderPurchaseReport } from '../../../src/features/shop/parts.ts';
import { type ShopItem, shopItems } from '../../../src/features/shop/purchase.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { contextFor, inputOf, memberId, otherMemberId, start } from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directMessageQueue } from '../../support/queues.ts';
import { buttonsOf, textOf } from '../../support/reply-parts.ts';
import { itemOf, keys, shout, vip, vipRole } from '../../support/shop-store.ts';

const en = textsIn('en-US');

const guildId = inputOf().guildId;
const channelId = '500000000000000009';
const items = [vip, keys, shout];

/** `/shop` over its own database. The member has 100 credits. */
async function openShop(sold: readonly ShopItem[] = items, ownerChannelId: string | null = channelId) {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  await store.recorder.correct(
    { communityId: firstCommunity, userId: memberId, credits: 100, reason: 'deposit', at: start },
    'deposit',
  );
  const logged: string[] = [];
  const log = createLog({ level: 'trace', secrets: [], destination: { write: (line: string) => logged.push(line) } });
  const results: string[] = [];
  const nudged: (readonly string[])[] = [];
  let items = sold;
  const community = () => ({ id: firstCommunity, guildId, ownerChannelId, ...shopItems.as(items) });
  const port = createShop(
    {
      ...{ directory: { inGuild: () => [community()], ofGuild: community }, reusedRoleAccess: async () => null },
      ...{ isHandled: () => false, store, clock, log },
      nudge: (queues) => nudged.push(queues),
    },
    (result) => results.push(result),
  );
  const context = { ...contextFor(), shop: port };
  let interactions = 0;
  /** Presses a button of a reply, as the member unless `changes` says otherwise. */
  const press = async (
    button: ReplyButton | undefined,
    changes: Parameters<typeof inputOf>[1] = {},
  ): Promise<Reply> => {
    interactions += 1;
    if (button?.kind !== 'action') throw new Error('There is no such button.');
    expect(shop.actions).toContain(button.action);
    const interactionId = `9${interactions}`;
    return shop.execute(inputOf(button.options, { action: button.action, interactionId, ...changes }), context);
  };
  const open = (options = {}, changes = {}) => shop.execute(inputOf(options, changes), context);
  /** Up to the confirmation. */
  const approach = async (id: string) =>
    press(buttonsOf(await open()).find((button) => button.kind === 'action' && button.options?.['item'] === id));
  const buy = async (id: string) => press(buttonOf(await approach(id), 'Confirm'));
  const credits = async () => (await store.ledgerIn(firstCommunity).account(memberId)).credits;
  const replace = (changed: readonly ShopItem[]) => {
    items = changed;
  };
  return { store, open, press, approach, buy, credits, replace, logged, results, nudged };
}

function buttonOf(reply: Reply | Panel, label: string): ReplyButton | undefined {
  return buttonsOf(reply).find((button) => button.label === label);
}

describe('/shop', () => {
  it('is private, and one of the commands', () => {
    expect(shop.visibility).toBe('private');
    expect(commands).toContain(shop);
  });

  it('lists the items with price, duration, stock and required role', async () => {
    const { open } = await openShop([
      { ...vip, stock: 5, needsRole: '700000000000000009', forMs: 36 * 3_600_000 },
      keys,
      shout,
    ]);
    const reply = await open();
    expect(textOf(reply).split('\n')).toEqual([
      'Your balance: **100** credits',
      '',
      '**VIP** · **30** credits',
      `-# role <@&${vipRole}> for 36 hours · 5 left · only with <@&700000000000000009>`,
      '',
      '**Game key** · **10** credits',
      '-# a code · 3 left',
      '',
      '**Shout-out** · **50** credits',
      '-# handed out by the team',
    ]);
    const buy = { action: 'buy', label: 'Buy', disabled: false };
    expect(buttonsOf(reply)).toMatchObject([
      { ...buy, options: { item: 'vip' } },
      { ...buy, options: { item: 'key' } },
      { ...buy, options: { item: 'shout' } },
      { label: 'My purchases' },
    ]);
    expect(JSON.stringify(reply)).not.toContain('AAA-1');
  });

  it('has pages, and says so when it is empty', async () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      itemOf({ id: `item${index}`, name: `Item ${index}`, manual: true }),
    );
    const { open } = await openShop(many);
    const second = await open({ page: '2' });
    expect(textOf(second)).toContain('Item 11');
    expect(textOf(second)).not.toContain('Item 7');
    expect(second).toMatchObject({ footer: 'page 2 of 2' });
    expect(buttonsOf(second).slice(4)).toMatchObject([{ label: 'Previous' }, { label: 'Next', disabled: true }, {}]);
    expect(textOf(await (await openShop([])).open())).toContain('There is nothing to buy here.');
  });

  it('asks for a confirmation with the balance before and after', async () => {
    const { approach, credits } = await openShop();
    const confirmation = await approach('vip');
    expect(confirmation).toMatchObject({ response: 'update', text: expect.stringContaining('**100** → **70**') });
    expect(textOf(confirmation)).toContain(`You get the role <@&${vipRole}> until <t:`);
    expect(buttonsOf(confirmation).map(({ label }) => label)).toEqual(['Confirm', 'Cancel']);
    expect(await credits()).toBe(100);
  });

  it('sells once per confirmation, however often it is confirmed, and shows the same result', async () => {
    const { approach, press, credits, results } = await openShop();
    const confirm = buttonOf(await approach('key'), 'Confirm');
    const replies = await Promise.all([press(confirm), press(confirm), press(confirm)]);
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[2]).toEqual(replies[0]);
    expect(textOf(replies[0])).toContain('```\nAAA-1\n```');
    expect(textOf(replies[0])).toContain('Your new balance: **90** credits');
    expect(await credits()).toBe(90);
    expect(results).toEqual(['sold', 'repeated', 'repeated']);
    const foreign = await press(confirm, { userId: otherMemberId });
    expect(foreign.tone).toBe('bad');
    expect(JSON.stringify(foreign)).not.toContain('AAA-1');
  });

  it('shows the code again after the item has left the settings, to the buyer alone', async () => {
    const { approach, press, open, replace } = await openShop();
    const confirm = buttonOf(await approach('key'), 'Confirm');
    const receipt = await press(confirm);
    replace([shout]);
    expect(await press(confirm)).toEqual(receipt);
    const purchases = buttonOf(await open(), 'My purchases');
    expect(textOf(await press(purchases))).toMatch(
      /^\*\*Game key\*\* · \*\*10\*\* credits · <t:\d+:f> · done\n```\nAAA-1\n```$/,
    );
    expect(textOf(await press(purchases, { userId: otherMemberId }))).toBe('You have not bought anything yet.');
    expect((await press(buttonOf(await approach('shout'), 'Confirm'))).title).toBe('Thank you!');
  });

  it('sells nothing at another price than the confirmed one, and no item that is gone', async () => {
    const { approach, press, replace, credits } = await openShop();
    const [first, second] = [await approach('vip'), await approach('key')];
    replace([{ ...vip, price: 31 }]);
    expect(textOf(await press(buttonOf(first, 'Confirm')))).toContain('The price has changed.');
    expect(textOf(await press(buttonOf(second, 'Confirm')))).toContain('no longer in the shop');
    expect(await credits()).toBe(100);
  });

  it.each([
    [{ price: 101 }, 'You do not have enough credits.'],
    [{ stock: 0 }, 'This item is sold out.'],
    [{ needsRole: '700000000000000009' }, 'Only for <@&700000000000000009>.'],
  ])('explains why an item with %j cannot be bought, and disables the button', async (changes, text) => {
    const { open, press, credits } = await openShop([{ ...shout, ...changes }]);
    // A message that was sent before may have an enabled one.
    const reply = await press(buttonOf(await open(), 'Buy'));
    expect(textOf(reply)).toContain(text);
    expect(buttonOf(reply, 'Buy')).toMatchObject({ disabled: true });
    expect(await credits()).toBe(100);
  });

  it('disables the button of an item that is sold out, and says so', async () => {
    const { open } = await openShop([{ ...shout, stock: 0 }, vip]);
    const reply = await open();
    expect(textOf(reply)).toContain('-# handed out by the team · sold out');
    expect(buttonsOf(reply)).toMatchObject([{ label: 'Buy', disabled: true }, { label: 'Buy', disabled: false }, {}]);
  });

  it('does not offer an item that the team has not set up completely, in words of members', async () => {
    const { open, press, credits } = await openShop([shout, vip], null);
    const text = "Not available yet. Your server's team has to finish setting it up.";
    const reply = await open();
    expect(textOf(reply)).toContain(`**Shout-out** · **50** credits\n-# ${text}`);
    const [buy] = buttonsOf(reply);
    expect(buttonsOf(reply)).toMatchObject([{ label: 'Buy', disabled: true }, { label: 'Buy', disabled: false }, {}]);
    expect(textOf(await press(buy))).toContain(text);
    expect(await credits()).toBe(100);
  });

  it('shows eight items on a page, within the components of a message', async () => {
    const many = Array.from({ length: 17 }, (_, index) => itemOf({ id: `item${index}`, name: 'Item', manual: true }));
    const { open } = await openShop(many);
    const { components } = renderReply(await open({ page: 2 }), 'shop');
    const json = JSON.stringify(components);
    expect(json.match(/"type":9/g)).toHaveLength(8);
    expect(json.match(/"type":/g)?.length).toBeLessThanOrEqual(40);
    expect(json).toContain('My purchases');
    expect(json).toContain('-# page 2 of 3');
  });

  it('goes back to the items', async () => {
    const { approach, press } = await openShop();
    expect(await press(buttonOf(await approach('vip'), 'Cancel'))).toMatchObject({ title: 'Shop', response: 'update' });
  });

  it('never logs a code', async () => {
    const { buy, logged } = await openShop();
    await buy('key');
    expect(logged.join()).toContain('an item of the shop was sold');
    expect(logged.join()).not.toContain('AAA-1');
  });

  it('fits into Discord with the longest names, codes and ids', async () => {
    const long = { name: '*'.repeat(80), id: 'x'.repeat(32), price: 1_000_000 };
    const codes = Array.from({ length: 9 }, (_, index) => `${index}`.padEnd(200, '_'));
    const { store, approach, press, open } = await openShop([
      { ...keys, ...long, codes },
      ...Array.from({ length: 9 }, (_, index) => itemOf({ ...long, id: `i${index}`, manual: true })),
    ]);
    await store.recorder.correct(
      { communityId: firstCommunity, userId: memberId, credits: 9_000_000, reason: 'x', at: start },
      'rich',
    );
    const confirmation = await approach(long.id);
    const confirm = buttonOf(confirmation, 'Confirm');
    for (let count = 0; count < 6; count += 1) await press(confirm, { interactionId: '1' });
    const rendered = renderReply(confirmation, 'shop').components;
    expect(JSON.stringify(rendered)).toContain('tallyhook:shop/confirm:');
    const withLongId =
      confirm?.kind === 'action' ? { ...confirm, options: { ...confirm.options, id: '9'.repeat(20) } } : null;
    const buttons = withLongId === null ? [] : [withLongId];
    expect(JSON.stringify(renderReply({ ...confirmation, buttons }, 'shop').components)).toContain('9'.repeat(20));
    for (let count = 0; count < 5; count += 1) await press(buttonOf(await approach(long.id), 'Confirm'));
    const history = await press(buttonOf(await open(), 'My purchases'));
    expect(textOf(history).length).toBeLessThan(4_096);
    expect(textOf(await open()).length).toBeLessThan(3_900);
  });
});

describe('a purchase that the owner fulfils', () => {
  async function reported() {
    const all = await openShop();
    await all.buy('shout');
    const report = renderPurchaseReport(
      { type: 'purchase', purchaseId: 1, userId: memberId, item: 'Shout-out', price: 50 },
      en,
    );
    const manager = { isManager: true, userId: otherMemberId, channelId };
    return { ...all, report, manager };
  }

  it('is reported with buttons of the command', async () => {
    const { report } = await reported();
    expect(report.text).toContain(`<@${memberId}> bought **Shout-out** (**50** credits).`);
    const { components } = renderReply(report, '');
    expect(JSON.stringify(components)).toContain('tallyhook:shop/done:purchase=1');
    expect(JSON.stringify(components)).toContain('tallyhook:shop/refund:purchase=1');
  });

  it('is done once, by a manager in the channel of the report', async () => {
    const { press, report, manager, credits, nudged, results } = await reported();
    const done = buttonOf(report, 'Done');
    expect(await press(done, { ...manager, isManager: false })).toMatchObject({
      tone: 'bad',
      text: en.text('failure.managersOnly'),
    });
    expect(await press(done, { ...manager, channelId: '7' })).toMatchObject({ tone: 'bad' });
    const reply = await press(done, manager);
    expect(reply).toMatchObject({ response: 'update', text: expect.stringContaining(`Done, by <@${otherMemberId}>.`) });
    expect(buttonsOf(reply)).toEqual([]);
    expect(await press(buttonOf(report, 'Refund'), manager)).toMatchObject({
      response: 'new',
      text: expect.stringContaining('This purchase is done already.'),
    });
    expect(await credits()).toBe(50);
    expect(nudged.at(-1)).toEqual([directMessageQueue(memberId, firstCommunity)]);
    expect(results).toEqual(['sold', 'fulfilled']);
  });

  it('is refunded once', async () => {
    const { press, report, manager, credits } = await reported();
    expect(textOf(await press(buttonOf(report, 'Refund'), manager))).toContain(`Refunded, by <@${otherMemberId}>.`);
    await press(buttonOf(report, 'Refund'), manager);
    expect(await credits()).toBe(100);
  });

  it('is a direct message to the buyer, with the name of the item escaped', () => {
    const purchase = { item: '@everyone', price: 1 };
    expect(renderPurchaseMessage('fulfilled', purchase, en).text).toBe('**@\u200Beveryone** is yours now.');
    expect(renderPurchaseMessage('refunded', purchase, en).text).toContain('You got the price back: **1** credit.');
  });

  it('of a role that Discord refused is a report without buttons', () => {
    const report = { type: 'purchaseRefunded', purchaseId: 2, userId: memberId, item: 'VIP', price: 30 } as const;
    expect(renderPurchaseReport(report, en)).toMatchObject({ tone: 'bad', title: 'Purchase 2' });
    expect(renderPurchaseReport(report, en).buttons).toBeUndefined();
  });
});
